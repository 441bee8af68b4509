/** Work as a process finds it. */
export interface Program {
  /** A module whose default export takes an input and returns an output, or a promise of one. */
  module: URL;
  /** What the process executes, where that is not the compiled `isolated-main` of this lib. */
  main?: URL;
  /** What Node needs to know to execute both. */
  execArgv?: readonly string[];
}

/** What one piece of work may take. */
export interface Bounds {
  timeMs: number;
  /** The heap of JavaScript. */
  heapMb: number;
  /** Each memory of WebAssembly. */
  wasmMb: number;
  stackMb: number;
}

/** What a process is told to do. */
export interface IsolatedTask {
  module: string;
  input: unknown;
  stackMb: number;
  heapMb: number;
}

/** What it says of each piece of work. */
export type ProgramReport = { output: unknown } | { over: 'memory'; why: string } | { thrown: string };
