import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** These processes with all that descend from them. */
export async function processTree(roots: readonly number[]): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=']);
  const parents = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]),
  );
  const wanted = new Set(roots);
  const descends = (pid: number | undefined): boolean =>
    pid !== undefined && (wanted.has(pid) || (pid > 1 && descends(parents.get(pid))));
  return [...parents.keys()].filter(descends);
}

/** Sends a signal to whoever is still there. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
