import type { ErrorObject } from 'ajv';
import { truncateText } from '#libs/kernel';

const MAX_BYTES = 300;

/** One thing that is wrong with a value, as `<JSON Pointer> must …`. */
export function issueText({ instancePath, message = 'is not valid', keyword, params }: ErrorObject): string {
  const place = instancePath === '' ? 'the object' : instancePath;
  return truncateText(`${place} ${message}${details(keyword, params)}`, MAX_BYTES);
}

/** What the message of a keyword leaves out and a repair needs to know. */
function details(keyword: string, params: Record<string, unknown>): string {
  switch (keyword) {
    case 'enum':
      return `: ${JSON.stringify(params['allowedValues'])}`;
    case 'const':
      return `: ${JSON.stringify(params['allowedValue'])}`;
    case 'additionalProperties':
      return `: ${JSON.stringify(params['additionalProperty'])}`;
    case 'unevaluatedProperties':
      return `: ${JSON.stringify(params['unevaluatedProperty'])}`;
    default:
      return '';
  }
}
