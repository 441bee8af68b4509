import { instance } from '@viz-js/viz';
import { parentPort, workerData } from 'node:worker_threads';
import type { Layout, Picture } from './layout.js';

/** What runs in the thread of a drawing. */
const viz = await instance();
const drawn = viz.render(workerData as Picture, { format: 'svg' });
const layout: Layout =
  drawn.status === 'success'
    ? { svg: drawn.output }
    : { problem: drawn.errors.map(({ message }) => message).join(' ') };
parentPort!.postMessage(layout);
