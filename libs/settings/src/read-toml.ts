import { messageOf } from '#libs/kernel';
import { parse, TomlError } from 'smol-toml';

/** What a TOML file says, or a sentence about why it is none, which begins with the place: `file:line:column`. */
export function readToml(source: string, file: string): { document: unknown } | { fault: string } {
  try {
    return { document: parse(source) };
  } catch (thrown) {
    const place = thrown instanceof TomlError ? `${file}:${thrown.line}:${thrown.column}` : file;
    const [why = ''] = messageOf(thrown).replace('Invalid TOML document: ', '').split('\n', 1);
    return { fault: `${place} is no TOML: ${why}.` };
  }
}
