import { describe, expect, it } from '@jest/globals';
import { layoutFromSource } from '../../../../test/support/layout-from-source.js';
import { GraphTooLargeError } from './errors.js';
import { layOut, type Picture } from './layout.js';

const PICTURE: Picture = { directed: true, nodes: [{ name: 'a' }, { name: 'b' }], edges: [{ tail: 'a', head: 'b' }] };
const program = (text: string) => ({ url: new URL(`data:text/javascript,${encodeURIComponent(text)}`) });

describe('layOut', () => {
  it('gives the SVG of Graphviz', async () => {
    expect(await layOut(PICTURE, layoutFromSource(), 20_000)).toMatch(/<svg[^]*<polygon[^]*<\/svg>/);
  });

  it('gives up on a thread that takes too long', async () => {
    await expect(layOut(PICTURE, program('for (;;);'), 200)).rejects.toThrow(GraphTooLargeError);
  });

  it('says what Graphviz says', async () => {
    const problem = program(
      'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ problem: "no memory" });',
    );
    await expect(layOut(PICTURE, problem, 20_000)).rejects.toThrow('no memory');
  });

  it('fails with a thread that fails', async () => {
    await expect(layOut(PICTURE, program('throw new Error("broken")'), 20_000)).rejects.toThrow('broken');
  });
});
