import path from 'node:path';
import { missingVariables, unsupportedBy, type HandlerTable } from '#libs/engine';
import type { EventOf, RunSpec } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import type { CompileEffort, Graph, InputValue } from '#libs/language';
import type { TaskInput } from './compiling/task.js';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import type { RunManifestRequest } from './dto/run-manifest.js';
import type { WorkflowSettings } from './dto/settings/workflow-settings.js';
import { compileManifest, soundGraph } from './compile-manifest.js';
import { providerFaults } from './missing-providers.js';
import { assignModels, modelQuestions, unknownModelNames } from './model-questions.js';
import { oversizedSettings } from './oversized-settings.js';
import { resolveSettings, type ServerDefaults } from './run-settings.js';
import { unreadInputs } from './unread-inputs.js';
import { unsupportedSettings } from './unsupported-settings.js';

/** Faults of one answer. */
const MAX_FAULTS = 20;
/** Specs up to this size stand in `run.created`; larger ones are named there by their digest. */
const INLINE_BYTES = 8 * 1024;

/** What a manifest says about the runs that are made of it. */
export interface Definition {
  /** A {@link RunSpec} as JSON. */
  readonly specText: string;
  /** The part of the spec that `run.created` holds. */
  readonly inlineSpec: Partial<RunSpec>;
  readonly settings: WorkflowSettings;
  readonly goal: string;
  readonly workflow: EventOf<'run.created'>['properties']['workflow'];
}

/** What {@link RunDefinitions} has manifests compiled for. */
export function definitionTasks(handlers: HandlerTable) {
  return {
    /** Throws with all that is wrong with the manifest and its workflow. */
    define({ manifest }: TaskInput, server: ServerDefaults, effort: CompileEffort): Definition {
      const settings = resolveSettings(manifest, server);
      const unsupported = [
        ...oversizedSettings(settings),
        ...unsupportedSettings(settings, server),
        ...unknownModelNames(settings.run.model),
      ];
      if (unsupported.length > 0) throw new InvalidRequestError(unsupported);
      const graph = executableGraph(manifest, settings, handlers, effort);
      assignModels(graph, settings.run.model, manifest.args ?? {});
      const { goal } = graph.attributes;
      settings.run.goal = goal === '' ? null : { type: 'inline', value: goal };
      const spec: RunSpec = {
        settings: settings as unknown as JsonObject,
        graph: graph as unknown as JsonObject,
        workflow_source: manifest.workflows[manifest.target.path]!.source,
      };
      const specText = JSON.stringify(spec);
      return {
        specText,
        inlineSpec: Buffer.byteLength(specText) <= INLINE_BYTES ? spec : {},
        ...{ settings, goal },
        workflow: workflowRef(manifest, graph, settings.workflow.name),
      };
    },

    /** A sentence for each of these inputs that the workflow does not read. */
    unread(
      { manifest, names }: TaskInput & { names: readonly string[] },
      server: ServerDefaults,
      effort: CompileEffort,
    ) {
      return unreadInputs(manifest, names, { server, effort });
    },
  };
}

/** The compiled graph, or all that is wrong with the workflow, each with file, line, column and caret. */
function executableGraph(
  manifest: RunManifestRequest,
  settings: WorkflowSettings,
  handlers: HandlerTable,
  effort: CompileEffort,
): Graph {
  const graph = soundGraph(compileManifest(manifest, { settings, undefinedIs: 'error', effort }));
  const missing = missingVariables(graph, settings.run.inputs as Record<string, InputValue>);
  const unsupported = [...unsupportedBy(graph, handlers), ...missing];
  if (unsupported.length > 0) throw new InvalidRequestError(unsupported.slice(0, MAX_FAULTS));
  const isDryRun = settings.run.execution.mode === 'dry_run';
  const unserved = isDryRun ? [] : providerFaults(modelQuestions(graph, settings.run.model, manifest.args ?? {}));
  if (unserved.length > 0) throw new InvalidRequestError(unserved);
  return graph;
}

function workflowRef({ target }: RunManifestRequest, graph: Graph, name: string | null): Definition['workflow'] {
  const { dir, name: stem } = path.posix.parse(target.path);
  const slug = stem === 'workflow' && dir !== '' ? path.posix.basename(dir) : stem;
  return { slug, name, graph_name: graph.name, node_count: graph.nodes.length, edge_count: graph.edges.length };
}
