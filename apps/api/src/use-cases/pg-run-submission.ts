import path from 'node:path';
import { unsupportedBy, type HandlerTable, type RunKey } from '#libs/engine';
import { stamp, type RunSpec, type StampedEvent } from '#libs/events';
import { canonicalJson, newUlid, type Clock, type Json, type JsonObject, type RunId } from '#libs/kernel';
import type { Graph } from '#libs/language';
import {
  encodeDefinition,
  ParentCycleError,
  RunNotFoundError,
  type NewRun,
  type RunLedger,
  type RunReader,
} from '#libs/persistence';
import type { Caller } from '../auth/caller.js';
import { InvalidRequestError } from '../errors/request-errors.js';
import type { RetryEdits } from '../runs/dto/run-commands.js';
import type { RunManifestRequest } from '../runs/dto/run-manifest.js';
import type { RunResponse } from '../runs/dto/run-response.js';
import type { WorkflowSettings } from '../runs/dto/settings/workflow-settings.js';
import { RunSubmission } from '../runs/run-use-cases.js';
import { compileManifest, soundGraph } from './compile-manifest.js';
import { definedAgain } from './defined-again.js';
import { editedManifest, type ManifestEdits } from './edited-manifest.js';
import { assignModels, unknownModels } from './model-questions.js';
import { retriedRun } from './retried-run.js';
import { runResponse } from './run-response.js';
import { resolveSettings, type ServerDefaults } from './run-settings.js';
import { unsupportedSettings } from './unsupported-settings.js';

/** Specs up to this size stand in `run.created`; larger ones are named there by their digest. */
const INLINE_BYTES = 8 * 1024;
/** Faults of one answer. */
const MAX_FAULTS = 20;

/** Compiles, resolves and stores a manifest: one transaction, shared with whoever else submits at this moment. */
export class PgRunSubmission extends RunSubmission {
  constructor(
    private readonly ledger: RunLedger,
    private readonly reader: RunReader,
    private readonly handlers: HandlerTable,
    private readonly clock: Clock,
    private readonly defaults: ServerDefaults,
  ) {
    super();
  }

  async submit(manifest: RunManifestRequest, caller: Caller, idempotencyKey?: string): Promise<RunResponse> {
    await this.requireParent(manifest, caller);
    const run = this.newRun(manifest, caller, idempotencyKey);
    const stored = await this.ledger.create(run);
    const shown = stored.view
      ? { view: stored.view, childrenCount: 0, queuePosition: null }
      : await this.reader.get(stored.run);
    return runResponse(shown, this.clock.now());
  }

  async retry(caller: Caller, sourceId: RunId, edits?: RetryEdits): Promise<RunResponse> {
    const { tenantId, principal } = caller;
    const source = { tenantId, runId: sourceId };
    const { view } = await this.reader.get(source);
    const now = this.clock.now();
    const runId = newUlid(now) as RunId;
    const definition = edits ? await this.changed(source, caller, edits) : await definedAgain(this.ledger, source, now);
    await this.ledger.retry(source, retriedRun(definition, view, runId, principal), principal);
    return runResponse(await this.reader.get({ tenantId, runId }), this.clock.now());
  }

  /** An id of the client's choice may be that of a removed run, whose children still name it. */
  private async requireParent({ run_id, parent_id }: RunManifestRequest, { tenantId }: Caller): Promise<void> {
    if (!parent_id) return;
    const line = await this.ledger.line({ tenantId, runId: parent_id as RunId });
    if (line.size === 0) throw new RunNotFoundError(parent_id);
    if (run_id && line.has(run_id as RunId)) throw new ParentCycleError(run_id, parent_id);
  }

  /** A run's manifest with changes in it, compiled as any other manifest; not stored. */
  async changed(source: RunKey, caller: Caller, edits: ManifestEdits): Promise<NewRun> {
    const { manifestSha256 } = await this.ledger.require(source);
    const manifest = await this.ledger.definition<RunManifestRequest>(source.tenantId, manifestSha256);
    return this.newRun(editedManifest(manifest, edits), caller);
  }

  /** The run that a manifest stands for, compiled and resolved, not stored. */
  newRun(manifest: RunManifestRequest, { tenantId, principal }: Caller, idempotencyKey?: string): NewRun {
    const now = this.clock.now();
    const settings = resolveSettings(manifest, this.defaults);
    const unsupported = [...unsupportedSettings(settings), ...unknownModels(settings.run.model)];
    if (unsupported.length > 0) throw new InvalidRequestError(unsupported);
    const graph = this.compiled(manifest, settings);
    assignModels(graph, settings.run.model);
    const goal = graph.attributes.goal;
    settings.run.goal = goal === '' ? null : { type: 'inline', value: goal };
    const workflow_source = manifest.workflows[manifest.target.path]!.source;
    const spec: RunSpec = {
      settings: settings as unknown as JsonObject,
      graph: graph as unknown as JsonObject,
      workflow_source,
    };
    const specText = JSON.stringify(spec);
    const runId = (manifest.run_id ?? newUlid(now)) as RunId;
    const run = {
      tenantId,
      runId,
      parentId: manifest.parent_id ?? null,
      manifest: encodeDefinition(canonicalJson(manifest as unknown as Json)),
      spec: encodeDefinition(specText),
      sourceDirectory: settings.run.environment.cwd ?? manifest.cwd,
      sandboxProvider: settings.run.environment.provider,
      idempotencyKey: idempotencyKey ?? null,
    };
    const events: StampedEvent[] = [
      stamp(
        {
          event: 'run.created',
          actor: principal,
          properties: {
            ...(Buffer.byteLength(specText) <= INLINE_BYTES ? spec : {}),
            spec_blob: run.spec.sha256,
            manifest_blob: run.manifest.sha256,
            title: manifest.title ?? titleFrom(goal),
            goal,
            workflow: workflowRef(manifest, graph, settings.workflow.name),
            labels: settings.run.metadata,
            source_directory: manifest.cwd,
            ...(manifest.git && { git: manifest.git as unknown as JsonObject }),
            ...(manifest.parent_id && { parent_id: manifest.parent_id }),
            sandbox_provider: run.sandboxProvider,
            provenance: { subject: principal },
          },
        },
        now,
      ),
      stamp({ event: 'run.submitted', properties: { definition_blob: run.spec.sha256 } }, now),
    ];
    return { ...run, events };
  }

  /** The compiled graph, or all that is wrong with the workflow, each with file, line, column and caret. */
  private compiled(manifest: RunManifestRequest, settings: WorkflowSettings): Graph {
    const graph = soundGraph(compileManifest(manifest, { settings, undefinedIs: 'error' }));
    const unsupported = unsupportedBy(graph, this.handlers);
    if (unsupported.length > 0) throw new InvalidRequestError(unsupported.slice(0, MAX_FAULTS));
    return graph;
  }
}

/** The first line of the goal without its decoration, at most 100 characters. */
function titleFrom(goal: string): string {
  const line = goal.split('\n').find((text) => text.trim() !== '') ?? '';
  const title = line.replace(/^[\s#>*-]+/, '').trim();
  if (title === '') return 'Untitled run';
  return title.length > 100 ? `${title.slice(0, 97)}...` : title;
}

function workflowRef(
  manifest: RunManifestRequest,
  graph: Graph,
  name: string | null,
): {
  slug: string;
  name: string | null;
  graph_name: string;
  node_count: number;
  edge_count: number;
} {
  const { dir, name: stem } = path.posix.parse(manifest.target.path);
  const slug = stem === 'workflow' && dir !== '' ? path.posix.basename(dir) : stem;
  return { slug, name, graph_name: graph.name, node_count: graph.nodes.length, edge_count: graph.edges.length };
}
