import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { homeOf, type Home } from '#libs/config';

/** A folder of files, and a home beside it. */
export class AProject {
  private constructor(private readonly parent: string) {}

  static async of(files: Record<string, string>): Promise<AProject> {
    const project = new AProject(await mkdtemp(path.join(tmpdir(), 'runyard-')));
    await project.write(files);
    return project;
  }

  get root(): string {
    return path.join(this.parent, 'project');
  }

  get home(): Home {
    return homeOf({ RUNYARD_HOME: path.join(this.parent, 'home') });
  }

  /** Paths are relative to the project; `../home` is the home. */
  async write(files: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(this.root, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }

  remove(): Promise<void> {
    return rm(this.parent, { recursive: true });
  }
}
