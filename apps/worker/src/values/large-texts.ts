import { largeTextIn, withoutLargeText, type StampedEvent } from '#libs/events';
import type { Logger } from '#libs/server-runtime';
import type { KeptValues } from './kept-values.js';

/** Keeps texts elsewhere that are too large for the events that tell of them: prompts, answers, scripts. */
export class LargeTexts {
  constructor(
    private readonly kept: KeptValues,
    /** Bound to the run and its epoch. */
    private readonly log: Logger,
  ) {}

  /** The events as a log takes them, once their texts are kept; undefined where it takes them as they are. */
  moved(events: readonly StampedEvent[]): Promise<StampedEvent[]> | undefined {
    if (!events.some((event) => largeTextIn(event) !== undefined)) return undefined;
    return Promise.all(events.map((event) => this.move(event)));
  }

  /** Only people read these texts: where one cannot be kept, the run goes on and its event says how large it was. */
  private async move(event: StampedEvent): Promise<StampedEvent> {
    const text = largeTextIn(event);
    if (text === undefined) return event;
    const blob = await this.kept.keep(Buffer.from(text)).catch((error: unknown) => {
      this.log.warn({ event: event.event, error }, 'A large text of an event could not be kept.');
      return undefined;
    });
    return withoutLargeText(event, blob);
  }
}
