import { jsonObjectsIn, noObjectIn } from './json-objects.js';
import { parseObject } from './parse-object.js';
import { invalid, missing, reported, type Reading, type Report } from './reading.js';
import { isDirective, issuesOf, looksLikeDirective, MEMBER_LIST, reportOf } from './routing-directive.js';

export const ROUTING_EXPECTATION = `End your response with one JSON object that says how the workflow goes on. It has at least one of these members:
${MEMBER_LIST}`;

/** Reads the last directive of an output. One that is broken is an issue; none before it is taken instead. */
export function readRouting(output: string): Reading {
  const candidates = jsonObjectsIn(output);
  if (candidates.length === 0) return missing(noObjectIn(output));
  for (const candidate of candidates.reverse()) {
    const parsed = parseObject(candidate);
    if ('fault' in parsed) {
      if (looksLikeDirective(candidate)) return invalid(`the routing object is not valid JSON: ${parsed.fault}`);
    } else if (isDirective(parsed.value)) {
      const issues = issuesOf(parsed.value);
      return issues.length > 0 ? invalid(...issues) : reported(reportOf(parsed.value));
    }
  }
  return missing('no JSON object contained any recognized routing field');
}

/** Who need not say how the workflow goes on says it at the end, if at all. */
const LENIENT_LENGTH = 1024 * 1024;

/** What an output that need not say anything says: its last directive without what is invalid in it, if it has one. */
export function lenientRouting(output: string): Report | undefined {
  for (const candidate of jsonObjectsIn(output.slice(-LENIENT_LENGTH)).reverse()) {
    const parsed = parseObject(candidate);
    if ('value' in parsed && isDirective(parsed.value)) return reportOf(parsed.value);
  }
  return undefined;
}
