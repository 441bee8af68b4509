// From a start request to the first event of execution at an SSE client that already follows, and from create to the
// end of a one-command run. `node bench/first-event.mjs`
import { chain, startStack } from './support/stack.mjs';
import { print, quantile, round } from './support/stats.mjs';

const stack = await startStack();
const figures = {
  'create -> first event at the client': [],
  'start -> run.running at the client': [],
  'start -> end of one command': [],
};
const source = chain(1, 'script="true"');
for (let i = 0; i < 60; i++) {
  const created = performance.now();
  const id = await stack.create(source);
  let first;
  let running;
  let began;
  const ended = stack.attach(id, (part) => {
    first ??= performance.now();
    if (part.includes('"run.running"')) running ??= performance.now();
  });
  while (first === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  began = performance.now();
  await stack.start(id);
  await ended;
  if (i < 10) continue;
  figures['create -> first event at the client'].push(first - created);
  figures['start -> run.running at the client'].push(running - began);
  figures['start -> end of one command'].push(performance.now() - began);
}
print(
  'Latency over HTTP and SSE (ms, 50 runs)',
  Object.fromEntries(
    Object.entries(figures).map(([name, list]) => [
      name,
      { p50: round(quantile(list, 0.5)), p90: round(quantile(list, 0.9)), max: round(Math.max(...list)) },
    ]),
  ),
);
await stack.stop();
