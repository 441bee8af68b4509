import type { RunKey } from '#libs/engine';
import { stamp, type EventOf } from '#libs/events';
import { InvariantError } from '#libs/kernel';
import type { NewRun, RunLedger } from '#libs/persistence';
import { submit } from '#libs/runs';

/** The definition of a stored run as that of a new one, of no parent and of no history: what the caller gives it. */
export async function definedAgain(ledger: RunLedger, source: RunKey, nowMs: number): Promise<NewRun> {
  const { value: created } = await ledger.history(source, 1).next();
  if (created?.event !== 'run.created') throw new InvariantError(`The log of ${source.runId} has no beginning.`);
  const {
    parent_id: _parent,
    retried_from: _source,
    fork_source_ref: _fork,
    ...own
  } = (created as EventOf<'run.created'>).properties;
  return {
    ...source,
    parentId: null,
    manifest: await ledger.storedDefinition(source.tenantId, own.manifest_blob),
    spec: await ledger.storedDefinition(source.tenantId, own.spec_blob),
    sourceDirectory: own.source_directory ?? null,
    sandboxProvider: own.sandbox_provider,
    idempotency: null,
    events: submit(own, null, (event) => stamp(event, nowMs)),
  };
}
