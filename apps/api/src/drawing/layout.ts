import { type Graph } from '@viz-js/viz';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { GraphTooLargeError } from './errors.js';

/** What Graphviz is to lay out. */
export type Picture = Graph;

/** What the thread says before it ends: Graphviz collapses when a graph takes more stack or memory than there is. */
export type Layout = { svg: string } | { problem: string } | { collapse: string };

/** What the thread runs. */
export interface LayoutProgram {
  url: URL;
  execArgv?: string[];
}

/** The program of a compiled Runyard. */
export function compiledLayout(): LayoutProgram {
  return { url: new URL('./layout-main.js', import.meta.url) };
}

/** Graphviz recurses along the graph; the usual four are too few for some hundreds of nodes. */
const STACK_MB = 32;

/**
 * The SVG as Graphviz writes it. Graphviz is synchronous and never gives memory back, so every drawing has a thread of
 * its own, which ends with it. Throws a {@link GraphTooLargeError} for a picture that takes longer than the limit, or
 * more than the thread has.
 */
export async function layOut(picture: Picture, program: LayoutProgram, limitMs: number): Promise<string> {
  const limit = AbortSignal.timeout(limitMs);
  const { url, execArgv = [] } = program;
  const thread = new Worker(url, { workerData: picture, execArgv, resourceLimits: { stackSizeMb: STACK_MB } });
  try {
    const [layout] = (await once(thread, 'message', { signal: limit })) as [Layout];
    if ('svg' in layout) return layout.svg;
    if ('problem' in layout) throw new Error(`Graphviz cannot draw the graph: ${layout.problem}`);
    throw new GraphTooLargeError('The graph is too tangled to be drawn.', { cause: layout.collapse });
  } catch (thrown) {
    if (!limit.aborted) throw thrown;
    throw new GraphTooLargeError(`The graph cannot be drawn within ${limitMs / 1000} seconds.`, { cause: thrown });
  } finally {
    await thread.terminate();
  }
}
