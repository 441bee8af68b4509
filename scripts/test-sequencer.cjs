const Sequencer = require('@jest/test-sequencer').default;

/**
 * Jest sequencer: the kinds of tests one after another. Those that mostly wait for processes come first and overlap; the
 * many short ones, which only compute, fill what is left at the end.
 */
const ORDER = ['scenarios', 'attacks', 'e2e', 'contracts', 'unit'];

/** A clone knows no durations yet, and these take longest: whatever begins last ends last. */
const LONGEST = ['standalone', 'chaos', 'crash', 'sandbox-local', 'boot', 'streams', 'model-check', 'quarantine'];

module.exports = class KindSequencer extends Sequencer {
  async sort(tests) {
    const kind = ({ context }) => ORDER.indexOf(context.config.displayName.name);
    const length = ({ path }) => {
      const place = LONGEST.findIndex((name) => path.endsWith(`/${name}.spec.ts`));
      return place === -1 ? LONGEST.length : place;
    };
    return [...(await super.sort(tests))].sort((a, b) => kind(a) - kind(b) || length(a) - length(b));
  }
};
