import { readFile } from 'node:fs/promises';

/** The resident memory of a process, in MiB. */
export async function residentMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
