import type { RunState } from '#libs/engine';
import { MAX_VALUES_BYTES } from '#libs/events';
import { jsonBytes, RunyardError } from '#libs/kernel';

/** Values of all paths of a run that its state may hold before only small ones are left in it. */
const ROOMY_BYTES = 4 * 1024 * 1024;
/** What stages overwrite is noticed only when everything is counted again. */
const COUNTED_AFTER_BYTES = 1024 * 1024;
/** What a stage may leave in a state that holds more; the rest is kept elsewhere. */
const CROWDED_BYTES = 8 * 1024;

/** What the state of a run holds at most. */
const FULL_BYTES = 16 * 1024 * 1024;

/** The stages of a run left so many values that its worker holds no more of them. */
class ContextFullError extends RunyardError {
  readonly kind = 'tooLarge';

  constructor() {
    super(
      `The context of this run holds more than ${FULL_BYTES} bytes of small values; write results into files, use the same keys again, or begin another run.`,
    );
  }
}

/** How much each stage of a run may leave in its state, so that no number of stages or branches fills the memory with it. */
export class ContextRoom {
  private bytes: number | undefined;
  private sinceCounted = 0;

  constructor(private readonly state: () => RunState) {}

  /** In bytes of JSON. What later stages overwrite makes room again. Throws where there is none at all. */
  get forNextStage(): number {
    if (this.bytes === undefined || (this.bytes > ROOMY_BYTES && this.sinceCounted > COUNTED_AFTER_BYTES)) this.count();
    if (this.bytes! > FULL_BYTES) throw new ContextFullError();
    return this.bytes! > ROOMY_BYTES ? CROWDED_BYTES : MAX_VALUES_BYTES;
  }

  /** A stage left so much. */
  took(bytes: number): void {
    this.bytes = (this.bytes ?? 0) + bytes;
    this.sinceCounted += bytes;
  }

  /** Takes as long as the state is large, so it is done once for many stages. */
  private count(): void {
    this.bytes = Object.values(this.state().cursors).reduce((sum, { context }) => sum + jsonBytes(context), 0);
    this.sinceCounted = 0;
  }
}
