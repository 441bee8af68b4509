/** How much of each kind a manifest may hold: more than people write, and no more than a server looks through in passing. */
export const MAX_INPUTS = 1_000;
export const MAX_LABELS = 1_000;
export const MAX_WORKFLOWS = 1_000;
/** Of all workflows together. */
export const MAX_FILES = 1_000;
export const MAX_CONFIGS = 100;
