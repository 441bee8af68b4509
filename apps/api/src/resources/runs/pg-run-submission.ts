import type { RunKey } from '#libs/engine';
import { goalInBrief, stamp } from '#libs/events';
import { newUlid, type Clock, type JsonObject, type RunId } from '#libs/kernel';
import type { NewRun, RunLedger, RunReader } from '#libs/persistence';
import { ParentCycleError, retriedFrom, RunNotFoundError, submit } from '#libs/runs';
import type { Caller } from '../../edge/auth/caller.js';
import { NotForRunsError, TooManyChildrenError } from '../../edge/auth/errors.js';
import { runOf } from '../../edge/auth/run-tokens.js';
import type { Role } from '../../edge/operations/roles.js';
import type { RetryEdits } from './dto/run-commands.js';
import type { RunManifestRequest } from '../manifests/dto/run-manifest.js';
import type { RunResponse } from './dto/run-response.js';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import { runIdTimeProblem } from './run-id-window.js';
import { RunSubmission } from './run-use-cases.js';
import { definedAgain } from './defined-again.js';
import { editedManifest, type ManifestEdits } from './edited-manifest.js';
import { keyedRequest } from './keyed-request.js';
import { isLocal, requireLocalParent, requireLocalRole } from './local-right.js';
import type { RunDefinitions } from '../manifests/run-definitions.js';
import { runResponse } from './run-response.js';

/** Children that a run may make with its token, where no setting says otherwise. */
const MAX_CHILDREN = 1_000;

/** Compiles, resolves and stores a manifest: one transaction, shared with whoever else submits at this moment. */
export class PgRunSubmission extends RunSubmission {
  constructor(
    private readonly ledger: RunLedger,
    private readonly reader: RunReader,
    private readonly definitions: RunDefinitions,
    private readonly clock: Clock,
    private readonly localLeastRole: Role = 'admin',
    private readonly maxChildren = MAX_CHILDREN,
  ) {
    super();
  }

  async submit(given: RunManifestRequest, caller: Caller, idempotencyKey?: string): Promise<RunResponse> {
    const own = runOf(caller);
    const manifest = asChildOf(own, given);
    await this.requireParent(manifest, caller);
    if (own !== undefined) await this.requireRoom(own, manifest, caller, idempotencyKey);
    await this.requireIdOfNow(manifest, caller);
    const run = await this.newRun(manifest, caller, idempotencyKey);
    const stored = await this.ledger.create(run);
    const shown = stored.view
      ? { view: stored.view, childrenCount: 0, queuePosition: null }
      : await this.reader.get(stored.run);
    return runResponse(shown, this.clock.now());
  }

  async retry(
    caller: Caller,
    sourceId: RunId,
    edits: RetryEdits | undefined,
    idempotencyKey?: string,
  ): Promise<RunResponse> {
    const { tenantId, principal } = caller;
    const request = keyedRequest(idempotencyKey, { operation: 'retry', source: sourceId, edits });
    const repeated = request && (await this.ledger.repeated(tenantId, request));
    if (repeated) return this.shown(repeated);
    const source = { tenantId, runId: sourceId };
    const { view } = await this.reader.get(source);
    const now = this.clock.now();
    const runId = newUlid(now) as RunId;
    const definition = edits ? await this.changed(source, caller, edits) : await definedAgain(this.ledger, source, now);
    const events = retriedFrom(definition.events, view, principal);
    const run = { ...definition, runId, parentId: view.parent_id, events, idempotency: request };
    return this.shown(await this.ledger.retry(source, run, principal));
  }

  /** An id of the client's choice may be that of a removed run, whose children still name it. */
  private async requireParent({ run_id, parent_id }: RunManifestRequest, { tenantId }: Caller): Promise<void> {
    if (!parent_id) return;
    const line = await this.ledger.line({ tenantId, runId: parent_id as RunId });
    if (line.size === 0) throw new RunNotFoundError(parent_id);
    if (run_id && line.has(run_id as RunId)) throw new ParentCycleError(run_id, parent_id);
  }

  /** What a run makes is bounded; a request that is repeated makes nothing. */
  private async requireRoom(
    own: RunId,
    { run_id }: RunManifestRequest,
    { tenantId }: Caller,
    idempotencyKey?: string,
  ): Promise<void> {
    if (!(await this.ledger.hasChildren({ tenantId, runId: own }, this.maxChildren))) return;
    const named = run_id !== undefined || idempotencyKey !== undefined;
    if (named && (await this.ledger.find({ tenantId, runId: (run_id ?? '') as RunId }, idempotencyKey))) return;
    throw new TooManyChildrenError(own, this.maxChildren);
  }

  /** An id of another time may be that of a run that is there: then this is a repeat. */
  private async requireIdOfNow({ run_id }: RunManifestRequest, { tenantId }: Caller): Promise<void> {
    const problem = run_id ? runIdTimeProblem(run_id, this.clock.now()) : undefined;
    if (!problem || (await this.ledger.find({ tenantId, runId: run_id as RunId }))) return;
    throw new InvalidRequestError([`run_id ${problem}.`]);
  }

  /** A run's manifest with changes in it, compiled as any other manifest; not stored. */
  async changed(source: RunKey, caller: Caller, edits: ManifestEdits): Promise<NewRun> {
    const { manifestSha256 } = await this.ledger.require(source);
    const manifest = await this.ledger.definition<RunManifestRequest>(source.tenantId, manifestSha256);
    const edited = editedManifest(manifest, edits);
    await this.definitions.requireRead(edited, Object.keys(edits.inputs ?? {}), caller.tenantId);
    return this.newRun(edited, caller);
  }

  private async shown(run: RunKey): Promise<RunResponse> {
    return runResponse(await this.reader.get(run), this.clock.now());
  }

  private async requireLocalRight(caller: Caller): Promise<void> {
    const own = runOf(caller);
    if (own === undefined) return requireLocalRole(caller, this.localLeastRole);
    const { view } = await this.reader.get({ tenantId: caller.tenantId, runId: own });
    requireLocalParent(view.sandbox.plan.provider);
  }

  /** The run that a manifest stands for, compiled and resolved, not stored. */
  private async newRun(manifest: RunManifestRequest, caller: Caller, idempotencyKey?: string): Promise<NewRun> {
    const { tenantId, principal } = caller;
    const defined = await this.definitions.of(manifest, tenantId);
    const now = this.clock.now();
    const { settings, goal, workflow } = defined;
    if (isLocal(settings)) await this.requireLocalRight(caller);
    const run = {
      tenantId,
      runId: (manifest.run_id ?? newUlid(now)) as RunId,
      parentId: manifest.parent_id ?? null,
      manifest: defined.manifest,
      spec: defined.spec,
      sourceDirectory: settings.run.environment.cwd ?? manifest.cwd,
      sandboxProvider: settings.run.environment.provider,
      idempotency: idempotencyKey === undefined ? null : { key: idempotencyKey },
    };
    const created = {
      ...defined.inlineSpec,
      spec_blob: run.spec.sha256,
      manifest_blob: run.manifest.sha256,
      title: manifest.title ?? titleFrom(goal),
      ...{ ...goalInBrief(goal), workflow },
      labels: settings.run.metadata,
      source_directory: manifest.cwd,
      ...(manifest.git && { git: manifest.git as unknown as JsonObject }),
      ...(manifest.parent_id && { parent_id: manifest.parent_id }),
      sandbox_provider: run.sandboxProvider,
      provenance: { subject: principal },
    };
    return { ...run, events: submit(created, principal, (event) => stamp(event, now)) };
  }
}

/** What a run submits is its child, and no other run's; what a person submits has the parent that it names. */
function asChildOf(own: RunId | undefined, manifest: RunManifestRequest): RunManifestRequest {
  if (own === undefined || manifest.parent_id === own) return manifest;
  if (manifest.parent_id) throw new NotForRunsError();
  return { ...manifest, parent_id: own };
}

/** The first line of the goal without its decoration and without what would turn it round, at most 100 characters. */
function titleFrom(goal: string): string {
  const line = goal.split('\n').find((text) => text.trim() !== '') ?? '';
  const title = line
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/^[\s#>*-]+/, '')
    .trim();
  if (title === '') return 'Untitled run';
  return title.length > 100 ? `${title.slice(0, 97)}...` : title;
}
