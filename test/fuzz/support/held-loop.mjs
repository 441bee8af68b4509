// Loaded into a server before anything else: as soon as there is a file for it, writes there how long the event loop was held
// at most. A busy machine is not counted: only what the thread of the event loop computes itself.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const LOOK_MS = 10;
const TICK_MS = 10;
const file = process.env.RUNYARD_HELD_FILE;

if (file && process.argv[1]?.endsWith('standalone/src/main.js')) watch();

function watch() {
  let longestMs = 0;
  let [at, cpuMs] = [Infinity, 0];
  setInterval(() => {
    if (at === Infinity && !existsSync(file)) return;
    const [now, cpu] = [performance.now(), computedMs()];
    const heldMs = Math.round(Math.min(now - at - LOOK_MS, cpu - cpuMs));
    [at, cpuMs] = [now, cpu];
    if (heldMs > longestMs) writeFileSync(file, String((longestMs = heldMs)));
  }, LOOK_MS).unref();
}

function computedMs() {
  const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}
