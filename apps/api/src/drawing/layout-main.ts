import { instance } from '@viz-js/viz';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '#libs/kernel';
import type { Layout, Picture } from './layout.js';

/** What runs in the thread of a drawing. */
const viz = await instance();
parentPort!.postMessage(layoutOf(workerData as Picture));

function layoutOf(picture: Picture): Layout {
  try {
    const drawn = viz.render(picture, { format: 'svg' });
    if (drawn.status === 'success') return { svg: drawn.output };
    return { problem: drawn.errors.map(({ message }) => message).join(' ') };
  } catch (thrown) {
    return { collapse: messageOf(thrown) };
  }
}
