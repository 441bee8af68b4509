import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { missingVariables, unsupportedBy, type HandlerTable } from '#libs/engine';
import type { EventOf, RunSpec } from '#libs/events';
import { canonicalJson, type Json, type JsonObject } from '#libs/kernel';
import type { Graph, InputValue } from '#libs/language';
import { encodeDefinition, type EncodedDefinition } from '#libs/persistence';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import type { RunManifestRequest } from './dto/run-manifest.js';
import type { WorkflowSettings } from './dto/settings/workflow-settings.js';
import { compileManifest, soundGraph } from './compile-manifest.js';
import { providerFaults } from './missing-providers.js';
import { assignModels, modelQuestions, unknownModels } from './model-questions.js';
import { resolveSettings, type ServerDefaults } from './run-settings.js';
import { oversizedSettings } from './oversized-settings.js';
import { unreadInputs } from './unread-inputs.js';
import { unsupportedSettings } from './unsupported-settings.js';

/** Faults of one answer. */
const MAX_FAULTS = 20;
/** Specs up to this size stand in `run.created`; larger ones are named there by their digest. */
const INLINE_BYTES = 8 * 1024;
/** Bytes of manifests and specs that are kept. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** What a manifest stands for, whoever submits it. Runs share it: it is never changed. */
export interface DefinedRun {
  readonly manifest: EncodedDefinition;
  readonly spec: EncodedDefinition;
  /** The spec as far as it stands in `run.created`. */
  readonly inlineSpec: Partial<RunSpec>;
  readonly settings: WorkflowSettings;
  readonly goal: string;
  readonly workflow: EventOf<'run.created'>['properties']['workflow'];
}

/**
 * Resolves and compiles manifests. The same manifest again is not compiled again, as long as it is among the last
 * 16 MiB; its digest is the key, so nothing but what is in it and this server's own settings may decide what comes out.
 */
export class RunDefinitions {
  private readonly kept = new LRUCache<string, DefinedRun>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ manifest, spec }) => manifest.text.length + spec.text.length,
  });

  constructor(
    private readonly handlers: HandlerTable,
    private readonly defaults: ServerDefaults,
  ) {}

  /** Throws an `invalid` error with all that is wrong with the manifest and its workflow. */
  of(request: RunManifestRequest): DefinedRun {
    const manifest = encodeDefinition(canonicalJson(request as unknown as Json));
    const kept = this.kept.get(manifest.sha256);
    if (kept) return kept;
    const defined = this.define(request, manifest);
    this.kept.set(manifest.sha256, defined);
    return defined;
  }

  /** Throws an `invalid` error when the workflow reads no input of one of these names. */
  requireRead(request: RunManifestRequest, inputs: readonly string[]): void {
    const unread = inputs.length === 0 ? [] : unreadInputs(request, inputs, this.defaults);
    if (unread.length > 0) throw new InvalidRequestError(unread);
  }

  private define(request: RunManifestRequest, manifest: EncodedDefinition): DefinedRun {
    const settings = resolveSettings(request, this.defaults);
    const unsupported = [
      ...oversizedSettings(settings),
      ...unsupportedSettings(settings, this.defaults),
      ...unknownModels(settings.run.model),
    ];
    if (unsupported.length > 0) throw new InvalidRequestError(unsupported);
    const graph = this.compiled(request, settings);
    assignModels(graph, settings.run.model, request.args ?? {});
    const { goal } = graph.attributes;
    settings.run.goal = goal === '' ? null : { type: 'inline', value: goal };
    const spec: RunSpec = {
      settings: settings as unknown as JsonObject,
      graph: graph as unknown as JsonObject,
      workflow_source: request.workflows[request.target.path]!.source,
    };
    const text = JSON.stringify(spec);
    return {
      manifest,
      spec: encodeDefinition(text),
      inlineSpec: Buffer.byteLength(text) <= INLINE_BYTES ? spec : {},
      ...{ settings, goal },
      workflow: workflowRef(request, graph, settings.workflow.name),
    };
  }

  /** The compiled graph, or all that is wrong with the workflow, each with file, line, column and caret. */
  private compiled(request: RunManifestRequest, settings: WorkflowSettings): Graph {
    const graph = soundGraph(compileManifest(request, { settings, undefinedIs: 'error' }));
    const missing = missingVariables(graph, settings.run.inputs as Record<string, InputValue>);
    const unsupported = [...unsupportedBy(graph, this.handlers), ...missing];
    if (unsupported.length > 0) throw new InvalidRequestError(unsupported.slice(0, MAX_FAULTS));
    const isDryRun = settings.run.execution.mode === 'dry_run';
    const unserved = isDryRun ? [] : providerFaults(modelQuestions(graph, settings.run.model, request.args ?? {}));
    if (unserved.length > 0) throw new InvalidRequestError(unserved);
    return graph;
  }
}

function workflowRef({ target }: RunManifestRequest, graph: Graph, name: string | null): DefinedRun['workflow'] {
  const { dir, name: stem } = path.posix.parse(target.path);
  const slug = stem === 'workflow' && dir !== '' ? path.posix.basename(dir) : stem;
  return { slug, name, graph_name: graph.name, node_count: graph.nodes.length, edge_count: graph.edges.length };
}
