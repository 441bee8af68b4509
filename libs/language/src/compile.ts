import { type Diagnostic } from './diagnostics/diagnostic.js';
import { type Graph } from './graph/graph.js';

export interface CompileOptions {
  /** Replaces the goal of the source, when the run brings its own. */
  goal?: string;
}

/** `graph` is present exactly when no diagnostic is an error. */
export interface Compilation {
  graph: Graph | undefined;
  diagnostics: Diagnostic[];
}

/** Reads a source, builds its graph and checks it against every rule. Never throws, in time linear in the source. */
export declare function compile(source: string, options?: CompileOptions): Compilation;
