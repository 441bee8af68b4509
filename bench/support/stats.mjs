/** Figures of a list of numbers. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

export const median = (values) => quantile(values, 0.5);
export const round = (value, digits = 2) => Number(value.toFixed(digits));

/** `total` calls of `one`, `concurrency` at a time, each started when another ends. */
export async function closedLoop(total, concurrency, one) {
  const latencies = [];
  let left = total;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) {
        const start = performance.now();
        await one();
        latencies.push(performance.now() - start);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: total / seconds, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

/** Runs contestants alternately, so that a ratio compares what the machine gave both; medians over the rounds. */
export async function alternate(rounds, contestants) {
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let i = 0; i < rounds; i++)
    for (const [name, run] of Object.entries(contestants)) results[name].push(await run());
  return Object.fromEntries(
    Object.entries(results).map(([name, list]) => [
      name,
      Object.fromEntries(Object.keys(list[0]).map((key) => [key, round(median(list.map((result) => result[key])))])),
    ]),
  );
}

export function print(title, rows, notes = []) {
  console.log(`\n${title}`);
  console.table(rows);
  for (const note of notes) console.log(note);
}
