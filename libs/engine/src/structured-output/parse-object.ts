import { cleanJson, messageOf, type JsonObject } from '#libs/kernel';

export type ParsedObject = { value: JsonObject } | { fault: string };

/** Parses the text of one object; its value is safe to store. */
export function parseObject(text: string): ParsedObject {
  try {
    return { value: cleanJson(JSON.parse(text) as JsonObject) };
  } catch (thrown) {
    return { fault: messageOf(thrown) };
  }
}
