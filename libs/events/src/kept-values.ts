import { isJsonObject, type Json } from '#libs/kernel';
import { textReferenceOf } from './large-texts.js';
import type { KeptMark, KeptMarks } from './shapes.js';

/** What is kept is text; JSON is marked as such. */
const REFERENCE = /^blob:\/\/sha256\/([0-9a-f]{64})(#json)?$/;

/** What a reference takes inside an event. */
export const REFERENCE_BYTES = 85;

type Values = Readonly<Record<string, Json>>;

/** How a value that was kept under a digest is referred to. Text of this form is a reference only where a mark says so. */
export function referenceTo(digest: string, isJson: boolean): string {
  return `blob://sha256/${digest}${isJson ? '#json' : ''}`;
}

/** What a reference names; undefined for text of another form. */
export function readReference(text: string): { digest: string; isJson: boolean } | undefined {
  const [, digest, json] = REFERENCE.exec(text) ?? [];
  return digest === undefined ? undefined : { digest, isJson: json !== undefined };
}

/** Whether a value is a reference as a whole. */
export function isReference(value: Json | undefined, mark: KeptMark | undefined): value is string {
  return typeof mark === 'number' && typeof value === 'string';
}

/** Every reference inside a value, as often as it stands there, with the bytes that it stands for. */
export function* referencesIn(
  value: Json | undefined,
  mark: KeptMark | undefined,
): Iterable<{ reference: string; bytes: number }> {
  if (typeof mark === 'number') {
    if (isReference(value, mark)) yield { reference: value, bytes: mark };
  } else if (mark && (Array.isArray(value) || isJsonObject(value))) {
    for (const [name, inner] of Object.entries(mark)) {
      if (Object.hasOwn(value, name)) yield* referencesIn((value as Record<string, Json>)[name], inner);
    }
  }
}

/**
 * The marks that an event needs: those there are, and that there are none where text of an author looks like a reference.
 */
export function marksOf(updates: Values, marks: KeptMarks = {}): { kept?: KeptMarks } {
  const isMarked = Object.keys(marks).length > 0;
  return isMarked || Object.values(updates).some(looksKept) ? { kept: marks } : {};
}

/**
 * Where references stand in what a stage wrote. Events from before there were marks tell references by their form, and
 * only where they are a whole value.
 */
export function marksRead({ context_updates = {}, kept }: { context_updates?: Values; kept?: KeptMarks }): KeptMarks {
  if (kept) return kept;
  const looking = Object.entries(context_updates).filter(([, value]) => looksKept(value));
  return Object.fromEntries(looking.map(([key]) => [key, 0]));
}

/** Every reference that the server wrote into an event. */
export function* keptReferencesOf(event: { event: string; properties?: unknown }): Iterable<string> {
  const text = textReferenceOf(event);
  if (text !== undefined) yield text;
  if (event.event !== 'stage.completed' && event.event !== 'stage.failed') return;
  const written = event.properties as { context_updates?: Record<string, Json>; kept?: KeptMarks };
  for (const { reference } of referencesIn(written.context_updates, marksRead(written))) yield reference;
}

function looksKept(value: Json): boolean {
  return typeof value === 'string' && REFERENCE.test(value);
}
