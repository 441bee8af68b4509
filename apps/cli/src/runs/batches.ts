interface Batch<R> {
  results: readonly R[];
  summary: { requested: number; succeeded: number; failed: number };
}

/** Asks the same of many runs, as many at once as the server takes; what became of all of them is one result. */
export async function inBatches<R>(
  ids: readonly string[],
  size: number,
  ask: (ids: string[]) => Promise<Batch<R>>,
): Promise<Batch<R>> {
  const results: R[] = [];
  const summary = { requested: 0, succeeded: 0, failed: 0 };
  for (let from = 0; from < ids.length; from += size) {
    const batch = await ask(ids.slice(from, from + size));
    results.push(...batch.results);
    for (const count of ['requested', 'succeeded', 'failed'] as const) summary[count] += batch.summary[count];
  }
  return { results, summary };
}
