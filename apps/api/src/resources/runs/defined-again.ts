import type { RunKey } from '#libs/engine';
import { stamp, type EventOf } from '#libs/events';
import { InvariantError, type Json } from '#libs/kernel';
import { encodeDefinition, type NewRun, type RunLedger } from '#libs/persistence';
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
  const stored = async (sha256: string) => {
    const definition = await ledger.definition<Json>(source.tenantId, sha256);
    return { ...encodeDefinition(JSON.stringify(definition)), sha256 };
  };
  return {
    ...source,
    parentId: null,
    manifest: await stored(own.manifest_blob),
    spec: await stored(own.spec_blob),
    sourceDirectory: own.source_directory ?? null,
    sandboxProvider: own.sandbox_provider,
    idempotency: null,
    events: submit(own, null, (event) => stamp(event, nowMs)),
  };
}
