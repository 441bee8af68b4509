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

  it.each([
    ['says what Graphviz says', '{ problem: "no such shape" }', Error, 'no such shape'],
    ['refuses what makes it collapse', '{ collapse: "out of memory" }', GraphTooLargeError, 'too tangled'],
  ])('%s', async (_, said, error, message) => {
    const saying = program(`import { parentPort } from "node:worker_threads"; parentPort.postMessage(${said});`);
    const layout = layOut(PICTURE, saying, 20_000);
    await expect(layout).rejects.toThrow(message);
    await expect(layout).rejects.toThrow(error);
  });

  it('fails with a thread that fails', async () => {
    await expect(layOut(PICTURE, program('throw new Error("broken")'), 20_000)).rejects.toThrow('broken');
  });
});
