import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { interruptible } from '../terminal/interruptible.js';
import type { Screen } from '../terminal/screen.js';
import { plainText } from '../terminal/format.js';

const LOOK_EVERY_MS = 200;

/**
 * Does something at once, and again whenever one of the files that it names is written, appears or goes; until Ctrl-C. A
 * {@link CliError} ends it the first time. Later it is said: an editor that saves may have taken a file away.
 */
export function watch(screen: Screen, look: () => Promise<string[]>): Promise<ExitCode> {
  return interruptible(async (signal) => {
    let files = await look();
    for (;;) {
      await changeIn(files, signal);
      if (signal.aborted) return exitCodes.interrupted;
      try {
        files = await look();
      } catch (thrown) {
        if (!(thrown instanceof CliError)) throw thrown;
        screen.hint(`${screen.paint.red('✗')} ${plainText(thrown.message)}`);
      }
    }
  });
}

/** Looks at the files again and again: who puts a new file in the place of an old one is not seen otherwise. */
async function changeIn(files: readonly string[], signal: AbortSignal): Promise<void> {
  const before = await stateOf(files);
  for (;;) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined); // It rejects when the signal aborts.
    if (signal.aborted || (await stateOf(files)) !== before) return;
  }
}

async function stateOf(files: readonly string[]): Promise<string> {
  const states = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return states.map((state) => (state ? `${state.ino} ${state.size} ${state.mtimeMs}` : 'none')).join('\n');
}
