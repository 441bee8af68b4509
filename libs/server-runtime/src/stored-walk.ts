import { initialState, RunDefinition, Walk } from '#libs/engine';
import type { Clock, RunId } from '#libs/kernel';
import type { RunLedger } from '#libs/persistence';

type Stored = Awaited<ReturnType<RunLedger['state']>>;

/** A run as its log has it, ready to say what follows from what people ask for. Nothing it says is of any epoch. */
export function storedWalk(runId: RunId, { spec, snapshot, tail }: Stored, clock: Clock): Walk {
  const definition = new RunDefinition(runId, spec, null);
  const state = snapshot?.state ?? initialState(definition.index.start.id);
  const walk = new Walk(definition, state, { now: clock.now(), epoch: 0, random: Math.random });
  for (const event of tail) walk.hear(event);
  return walk;
}
