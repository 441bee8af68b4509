import { fitsJson, shortenText } from '#libs/kernel';
import type { EventCatalogue, EventName } from './catalogue.js';
import type { RunEvent, StampedEvent } from './envelope.js';
import { MAX_PHRASE_BYTES, MAX_VALUE_BYTES } from './limits.js';

/** Texts that may be of any size and that only people read in the log: no state depends on them. */
const TEXTS = {
  'stage.prompt': 'text',
  'prompt.completed': 'response',
  'agent.message': 'text',
  'command.started': 'script',
} as const satisfies { [Name in EventName]?: keyof EventCatalogue[Name] };

type TextEvent = Extract<RunEvent, { event: keyof typeof TEXTS }>;

/** The text of an event that is too large to stand in it; undefined for every other event. */
export function largeTextIn(event: RunEvent): string | undefined {
  if (!mayHoldText(event)) return undefined;
  const text = textOf(event);
  return fitsJson(text, MAX_VALUE_BYTES) ? undefined : text;
}

/**
 * The event with the beginning of its text, how large the whole is, and where it is kept. Without a reference the whole
 * is kept nowhere.
 */
export function withoutLargeText(stamped: StampedEvent, blob: string | undefined): StampedEvent {
  if (!mayHoldText(stamped)) return stamped;
  const name = TEXTS[stamped.event];
  const whole = textOf(stamped);
  const beginning = {
    [name]: shortenText(whole, MAX_PHRASE_BYTES),
    [`${name}_bytes`]: Buffer.byteLength(whole),
    ...(blob !== undefined && { [`${name}_blob`]: blob }),
  };
  return { ...stamped, properties: { ...stamped.properties, ...beginning } } as StampedEvent;
}

/** Where the whole text of an event is kept; undefined where it stands in the event, or was not kept. */
export function textReferenceOf({ event, properties }: { event: string; properties?: unknown }): string | undefined {
  if (!Object.hasOwn(TEXTS, event)) return undefined;
  const name = TEXTS[event as keyof typeof TEXTS];
  return (properties as Record<string, string | undefined> | undefined)?.[`${name}_blob`];
}

/** A goal as events say it: of a very large one the beginning, and how large the whole is. */
export function goalInBrief(goal: string): { goal: string; goal_bytes?: number } {
  if (fitsJson(goal, MAX_VALUE_BYTES)) return { goal };
  return { goal: shortenText(goal, MAX_PHRASE_BYTES), goal_bytes: Buffer.byteLength(goal) };
}

function mayHoldText(event: RunEvent): event is TextEvent {
  return Object.hasOwn(TEXTS, event.event);
}

function textOf({ event, properties }: TextEvent): string {
  return (properties as unknown as Record<string, string>)[TEXTS[event]]!;
}
