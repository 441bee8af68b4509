import type { CompileEffort } from '#libs/language';
import { GraphTooLargeError } from '../../../drawing/errors.js';
import { InvalidRequestError } from '../../../edge/errors/request-errors.js';
import type { RunManifestRequest } from '../dto/run-manifest.js';

/** What a task is given: a manifest, and plain data. */
export interface TaskInput {
  manifest: RunManifestRequest;
}

/**
 * Something that a manifest has to be compiled for. It depends on its input, on this server's own settings and on nothing
 * else, and returns plain data. Throws an {@link InvalidRequestError} or a {@link GraphTooLargeError}, and a
 * {@link CutShortError} when the effort does not suffice.
 */
export type Task<Input extends TaskInput, Output, Server> = (
  input: Input,
  server: Server,
  effort: CompileEffort,
) => Output;

/** What a task came to, as it is handed from one process to another. */
export type TaskOutcome = { output: unknown } | { invalid: readonly string[] } | { undrawable: string };

export function taskOutcomeOf(work: () => unknown): TaskOutcome {
  try {
    return { output: work() };
  } catch (thrown) {
    if (thrown instanceof InvalidRequestError) return { invalid: thrown.faults };
    if (thrown instanceof GraphTooLargeError) return { undrawable: thrown.reason };
    throw thrown;
  }
}

/** The output, or the error that the task threw. */
export function outputOf(outcome: TaskOutcome): unknown {
  if ('invalid' in outcome) throw new InvalidRequestError(outcome.invalid);
  if ('undrawable' in outcome) throw new GraphTooLargeError(outcome.undrawable);
  return outcome.output;
}
