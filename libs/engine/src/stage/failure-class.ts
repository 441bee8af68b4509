import type { FailureCategory } from '#libs/events';

const TEST_CANCELLATION = ['cancelling due to test failure', 'canceling due to test failure'];

const TRANSIENT = [
  'timeout',
  'timed out',
  'rate limit',
  'connection refused',
  'connection reset',
  '500',
  '502',
  '503',
  '504',
  'context deadline exceeded',
  'could not resolve host',
  'temporary failure',
  'network is unreachable',
  'broken pipe',
  'no route to host',
  'temporarily unavailable',
  'try again',
  'too many requests',
  'service unavailable',
  'econnrefused',
  'econnreset',
  'dial tcp',
  'transport is closing',
  'stream disconnected',
  'stream closed before',
  'failed to download',
  'could not download',
  'failed to fetch',
  'spurious network error',
  'cross-device link',
  'os error 18',
  'state change in progress',
  'sandbox stop still in progress',
];

const EXHAUSTED = [
  'turn limit',
  'token limit',
  'context length',
  'budget',
  'quota exceeded',
  'max_tokens',
  'max tokens',
  'context window exceeded',
];

const STRUCTURAL = ['write_scope_violation', 'write scope violation', 'scope violation'];

/**
 * The class of a failure of which only a text is known: the first whose words occur in it. Hashes do not count as words,
 * so that none is taken for a status of HTTP.
 */
export function failureClassOf(message: string): FailureCategory {
  const text = message.toLowerCase().replace(/\b[0-9a-f]{7,64}\b/g, '<hex>');
  const mentions = (words: readonly string[]): boolean => words.some((word) => text.includes(word));
  if (text.includes('interrupt')) return 'canceled';
  if (text.includes('cancel') && !mentions(TEST_CANCELLATION)) return 'canceled';
  if (mentions(TRANSIENT)) return 'transient_infra';
  if (mentions(EXHAUSTED)) return 'budget_exhausted';
  if (mentions(STRUCTURAL)) return 'structural';
  return 'deterministic';
}
