import { EDGE, KIND_PAINT, STATE_PAINT, type Paint } from './colours.js';

/** The class of every drawing: no rule of the style sheet reaches anything outside of one. */
export const DRAWING_CLASS = 'runyard-graph';

export function kindClass(kind: string): string {
  return `kind-${hyphenated(kind)}`;
}

export function stateClass(state: string): string {
  return `state-${hyphenated(state)}`;
}

/**
 * Both palettes at once. A drawing that is part of a page follows the page's `color-scheme`; one that stands alone, also
 * as an image, follows the reader's. A viewer that knows no `light-dark()` shows the colours of the elements: nodes
 * that are readable on any ground.
 */
export const STYLE_SHEET = [
  `.${DRAWING_CLASS}:root{color-scheme:light dark}`,
  `.${DRAWING_CLASS} text{font-family:Arial,Helvetica,sans-serif}`,
  '@supports (color:light-dark(#000,#fff)){',
  ...Object.entries(KIND_PAINT).flatMap(([kind, paint]) => rules(kindClass(kind), paint)),
  ...Object.entries(STATE_PAINT).flatMap(([state, paint]) => rules(stateClass(state), paint)),
  ...rules('edge', EDGE),
  '}',
].join('\n');

function rules(name: string, { fill, line, text }: Paint): string[] {
  const within = `.${DRAWING_CLASS} .${name}>`;
  return [
    `${within}:not(text){stroke:light-dark(${line.join()})}`,
    `${within}:not(text,[fill=none]){fill:light-dark(${fill.join()})}`,
    `${within}text{fill:light-dark(${text.join()})}`,
  ];
}

function hyphenated(name: string): string {
  return name.replace(/[._]/g, '-');
}
