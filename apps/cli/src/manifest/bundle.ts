import { canonicalPath } from '#libs/language';
import type { components } from '#libs/api-client';
import { workflowConfig } from './config-files.js';
import { fileReferencesIn, type BundledText } from './file-references.js';
import type { Workspace } from './workspace.js';

type Schemas = components['schemas'];
type FileEntry = Schemas['ManifestFileEntry'];

/** One workflow of a bundle, its configuration, and the files it refers to by canonical path. */
export interface BundledWorkflow {
  source: string;
  config?: Schemas['ManifestWorkflowConfig'];
  files: Map<string, FileEntry>;
}

/**
 * What travels with a workflow: everything it refers to, and each workflow it runs as a child with everything that one
 * refers to. What is missing, or lies outside of the workspace, is not in it; the compiler has the words for that.
 */
export class WorkflowBundle {
  readonly workflows = new Map<string, BundledWorkflow>();

  constructor(private readonly workspace: Workspace) {}

  /** Without a configuration that is known to be its own, the one beside it is looked at. */
  async addWorkflow(path: string, source: string, known?: BundledWorkflow['config']): Promise<void> {
    if (this.workflows.has(path)) return;
    const config = known ?? (await workflowConfig(this.workspace, path));
    this.workflows.set(path, { source, ...(config && { config }), files: new Map() });
    await this.addReferences(path, path, { type: 'child', text: source });
  }

  /** Takes in a file of a workflow, and what that refers to. Gives its text, or undefined when there is no such file. */
  async addFile(workflow: string, path: string, ref: FileEntry['ref']): Promise<string | undefined> {
    const content = await this.workspace.read(path);
    const { files } = this.workflows.get(workflow)!;
    // A circle ends where it closes.
    if (content === undefined || files.has(path) || path === workflow) return content;
    files.set(path, { content, ref });
    if (ref.type !== 'dockerfile') await this.addReferences(workflow, path, { type: ref.type, text: content });
    return content;
  }

  /** Every text by its path. */
  texts(): Map<string, string> {
    const texts = new Map<string, string>();
    for (const [path, { source, files }] of this.workflows) {
      texts.set(path, source);
      for (const [file, { content }] of files) texts.set(file, content);
    }
    return texts;
  }

  private async addReferences(workflow: string, from: string, text: BundledText): Promise<void> {
    for (const { type, original, path: written } of fileReferencesIn(text)) {
      const path = canonicalPath(written, from);
      if (typeof path !== 'string') continue;
      if (type !== 'child') await this.addFile(workflow, path, { type, original, from });
      else await this.addChild(path);
    }
  }

  private async addChild(path: string): Promise<void> {
    const source = await this.workspace.read(path);
    if (source !== undefined) await this.addWorkflow(path, source);
  }
}
