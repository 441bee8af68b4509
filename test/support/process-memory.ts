import { readFileSync, writeFileSync } from 'node:fs';

/** The memory that another process takes, as Linux tells it, in MiB. */
export class ProcessMemory {
  constructor(private readonly pid: number) {}

  /** Now. */
  get now(): number {
    return this.read('VmRSS');
  }

  /** At most, since {@link forget} was called. */
  get most(): number {
    return this.read('VmHWM');
  }

  /** What was so far does not count any more. */
  forget(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }

  private read(name: string): number {
    const line = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'));
    return Number(line![1]) / 1024;
  }
}
