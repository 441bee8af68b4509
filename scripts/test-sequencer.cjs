const Sequencer = require('@jest/test-sequencer').default;

/** Scenarios take all of a machine that they can get, so they run beside each other and nothing else waits for them. */
const ORDER = ['scenarios', 'unit', 'contracts', 'e2e', 'attacks'];

/** Jest sequencer: the kinds of tests one after another. */
module.exports = class KindSequencer extends Sequencer {
  async sort(tests) {
    const place = ({ context }) => ORDER.indexOf(context.config.displayName.name);
    return [...(await super.sort(tests))].sort((a, b) => place(a) - place(b));
  }
};
