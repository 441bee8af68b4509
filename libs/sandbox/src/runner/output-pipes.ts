import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BATCH = 16;

/**
 * Named pipes for the output of commands, made ahead and used again. A command gets one pipe as standard output and
 * standard error, so that both keep their order, and a true pipe, so that it may open `/dev/stderr` by name; the
 * sockets Node would give it allow neither.
 */
export class OutputPipes {
  private readonly free: string[] = [];
  private made = 0;
  private making: Promise<void> | undefined;

  constructor(private readonly folder: string) {}

  async take(): Promise<OutputPipe> {
    for (let path = this.free.pop(); ; path = this.free.pop()) {
      if (path !== undefined) return new OutputPipe(path);
      this.making ??= this.makeMore().finally(() => (this.making = undefined));
      await this.making;
    }
  }

  /** For a pipe that no process holds any more. */
  giveBack(pipe: OutputPipe): void {
    this.free.push(pipe.path);
  }

  /** For a pipe that some process may still hold: it is never used again. */
  discard(pipe: OutputPipe): void {
    rmSync(pipe.path, { force: true });
  }

  private async makeMore(): Promise<void> {
    const paths = Array.from({ length: BATCH }, () => join(this.folder, `pipe-${(this.made += 1)}`));
    await promisify(execFile)('mkfifo', paths);
    this.free.push(...paths);
  }
}

export class OutputPipe {
  constructor(readonly path: string) {}

  /** The reading end as a stream, and the writing end for the command, which the caller closes once it was handed on. */
  open(): { reader: Socket; writingEnd: number } {
    const readingEnd = openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const writingEnd = openSync(this.path, constants.O_WRONLY);
      return { reader: new Socket({ fd: readingEnd, readable: true, writable: false }), writingEnd };
    } catch (error) {
      closeSync(readingEnd);
      throw error;
    }
  }
}
