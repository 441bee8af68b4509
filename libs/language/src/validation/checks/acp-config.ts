import { isJsonObject } from '#libs/kernel';
import { parseJson } from './parse-json.js';

/** What is wrong with the JSON that describes how to start an external agent, as the end of a sentence. */
export function faultInAcpConfig(text: string): string | undefined {
  const config = parseJson(text);
  if (!isJsonObject(config)) return 'is not a JSON object.';
  if (config['type'] !== 'stdio') return 'must have "type": "stdio".';
  if (typeof config['command'] !== 'string' || config['command'].trim() === '') return 'must have a "command" string.';
  const { args = [], env = {} } = config;
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) return '"args" must be a list of strings.';
  if (!isJsonObject(env) || !Object.values(env).every((value) => typeof value === 'string')) {
    return '"env" must be an object of strings.';
  }
  return undefined;
}
