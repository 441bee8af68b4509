import { cleanJson, MAX_JSON_VALUES, messageOf, saysTooManyValues, type JsonObject } from '#libs/kernel';

export type ParsedObject = { value: JsonObject } | { fault: string };

/** Parses the text of one object; its value is safe to store. */
export function parseObject(text: string): ParsedObject {
  if (saysTooManyValues(text)) return { fault: `it consists of more than ${MAX_JSON_VALUES} values` };
  try {
    const value = JSON.parse(text) as JsonObject;
    return { value: isSafe(text) ? value : cleanJson(value) };
  } catch (thrown) {
    return { fault: messageOf(thrown) };
  }
}

const UNSAFE_ESCAPE = /\\u(?:0000|d[89a-f])/i;
const SAFE_DEPTH = 64;

/** Whether the value of a JSON text needs no cleaning. Looking at the text is far cheaper than walking the value. */
function isSafe(text: string): boolean {
  return text.isWellFormed() && !UNSAFE_ESCAPE.test(text) && !isDeep(text);
}

function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > SAFE_DEPTH) return true;
  }
  return false;
}
