import type { ReviewTarget } from '#libs/events';
import { isJsonObject, type Json } from '#libs/kernel';

const MAX_LABEL = 200;
const MAX_URL = 2_048;

/** Reads the context value `review_target`. It is shown as a link to people, so it must be a plain one. */
export function readReviewTarget(value: Json | undefined): ReviewTarget | { objection: string } {
  if (value === undefined) return { objection: 'The context has no review_target, which this gate is about.' };
  const target = typeof value === 'string' ? parsed(value) : value;
  if (!isJsonObject(target)) return refused('it must be an object with label, url and kind');
  const { label, url, kind } = target;
  if (typeof label !== 'string' || label.trim() === '' || [...label].length > MAX_LABEL || /\p{Cc}/u.test(label)) {
    return refused(`its label must be 1 to ${MAX_LABEL} characters without control characters`);
  }
  if (typeof url !== 'string' || !isPlainLink(url)) {
    return refused(`its url must be an http or https address of at most ${MAX_URL} characters without credentials`);
  }
  if (kind !== 'document') return refused('its kind must be "document"');
  return { label, url, kind };
}

function isPlainLink(url: string): boolean {
  if (url.length > MAX_URL || /[<>|\p{Cc}]/u.test(url) || !URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '' && username === '' && password === '';
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function refused(why: string): { objection: string } {
  return { objection: `The context value review_target is not valid: ${why}.` };
}
