const PREFIXES = ['internal.', 'graph.', 'thread.', 'current'];

/** Keys that are the engine's own: no stage writes them, and no branch or sub-workflow hands them out. */
export function isInternalKey(key: string): boolean {
  return PREFIXES.some((prefix) => key.startsWith(prefix));
}
