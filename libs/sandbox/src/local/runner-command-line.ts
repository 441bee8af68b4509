import { fileURLToPath } from 'node:url';

/** What starts the runner; its folder, its socket and its options are added as the last arguments. */
export interface RunnerCommandLine {
  command: string;
  args: readonly string[];
  /** Where it finds its tools (`mkfifo`); it gets nothing else of our environment. */
  searchPath?: string | undefined;
}

/** The runner of a compiled Runyard. */
export function compiledRunner(searchPath?: string): RunnerCommandLine {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL('../runner/main.js', import.meta.url))],
    searchPath,
  };
}
