import { PassThrough, Writable } from 'node:stream';
import type { Terminal } from '../../../apps/cli/src/terminal/input-line.js';

/** A terminal at which somebody types one line at every prompt, and leaves when nothing is left to say. */
export function aTerminal(...lines: string[]): Terminal {
  const input = new PassThrough();
  const answer = (): void => {
    const line = lines.shift();
    if (line === undefined) input.end();
    else input.write(`${line}\n`);
  };
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (chunk.toString().endsWith('> ')) setImmediate(answer);
      done();
    },
  });
  return { input, output };
}
