import { initialState, RunDefinition, Walk, type ClaimedRun } from '#libs/engine';
import type { DriverParts } from './driver-parts.js';

/** A claimed run as its log has it. Rejects when its definition or its log cannot be read, or not be understood. */
export async function loadWalk(
  { lease, specSha256, sourceDirectory }: ClaimedRun,
  { store, clock }: Pick<DriverParts, 'store' | 'clock'>,
): Promise<Walk> {
  const spec = await store.spec(lease, specSha256);
  const definition = new RunDefinition(lease.runId, spec, sourceDirectory);
  // The first epoch of a run begins at its start: nothing that was logged before it moved the walk.
  const { snapshot, tail } = lease.epoch === 1 ? { snapshot: null, tail: [] } : await store.load(lease);
  const moment = {
    get now(): number {
      return clock.now();
    },
    epoch: lease.epoch,
    random: Math.random,
  };
  const walk = new Walk(definition, snapshot?.state ?? initialState(definition.index.start.id), moment);
  for (const event of tail) walk.hear(event);
  return walk;
}
