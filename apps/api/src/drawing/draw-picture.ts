import { instance } from '@viz-js/viz';
import { messageOf } from '#libs/kernel';
import { safeSvg } from './safe-svg.js';
import { type Subject } from './subject.js';

/** Graphviz collapses when a picture takes more stack or memory than there is. */
export type Drawing = { svg: string } | { collapse: string };

/**
 * Draws a picture; executed in a process of its own, because Graphviz is synchronous and gives no memory back. Throws what
 * Graphviz objects to, and for a drawing that is not safe to show.
 */
export default async function drawPicture({ picture, caption }: Subject): Promise<Drawing> {
  const viz = await instance();
  const drawn = attempt(() => viz.render(picture, { format: 'svg' }));
  if ('collapse' in drawn) return drawn;
  if (drawn.status === 'success') return { svg: safeSvg(drawn.output, caption) };
  throw new Error(`Graphviz cannot draw the graph: ${drawn.errors.map(({ message }) => message).join(' ')}`);
}

function attempt<T>(render: () => T): T | { collapse: string } {
  try {
    return render();
  } catch (thrown) {
    return { collapse: messageOf(thrown) };
  }
}
