import type { Program } from '#libs/isolation';

const loader = new URL('./typescript-loader.js', import.meta.url).href;
/** Threads inherit what their process imports first, and not the loaders that it registered. */
const registration = `import{register}from"node:module";register("${loader}")`;

/** A program of isolated work, from source: under Jest there is no compiled one. */
export function programFromSource(module: string): Program {
  return {
    module: new URL(`../../${module}`, import.meta.url),
    main: new URL('../../libs/isolation/src/isolated-main.ts', import.meta.url),
    execArgv: ['--conditions', 'runyard-source', '--import', `data:text/javascript,${registration}`],
  };
}

/** The program of heavy manifests. */
export function compilingFromSource(): Program {
  return programFromSource('apps/api/src/compile-program.ts');
}

/** The program of drawings. */
export function drawingFromSource(): Program {
  return programFromSource('apps/api/src/drawing/draw-picture.ts');
}
