import { truncateText } from '#libs/kernel';
import type { FailureCategory, FailureDetail } from '#libs/events';

const MAX_BYTES = 240;

/** Failures of these classes repeat for a reason; their repetition ends a run. Others may well pass by themselves. */
export function isTracked(category: FailureCategory): boolean {
  return category === 'deterministic' || category === 'structural';
}

/** `<node>|<class>|<reason>`: equal for failures that differ only in numbers and hashes. */
export function failureSignature(nodeId: string, failure: FailureDetail): string {
  const reason = failure.message
    .trim()
    .toLowerCase()
    .replace(/\b[0-9a-f]{7,64}\b/g, '<hex>')
    .replace(/\b\d+\b/g, '<n>')
    .replaceAll(', ', ',')
    .replace(/\s+/g, ' ');
  return truncateText(`${nodeId}|${failure.category}|${reason || 'unknown'}`, MAX_BYTES);
}
