import { type LayoutProgram } from '../../apps/api/src/drawing/layout.js';

const loader = new URL('./typescript-loader.js', import.meta.url).href;
const registration = `import{register}from"node:module";register("${loader}")`;

/** The program of a drawing's thread, from source: under Jest there is no compiled one. */
export function layoutFromSource(): LayoutProgram {
  return {
    url: new URL('../../apps/api/src/drawing/layout-main.ts', import.meta.url),
    execArgv: ['--conditions', 'runyard-source', '--import', `data:text/javascript,${registration}`],
  };
}
