/** Jest reporter: the last line of a test run, alone on it, counts what passed, failed and was skipped. */
module.exports = class CountReporter {
  /** A run that breaks off before its end counts as one failure. */
  line = '0 passed, 1 failed';

  constructor() {
    process.on('exit', () => process.stdout.write(`${this.line}\n`));
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } = results;
    this.line = `${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed`;
    const skipped = numPendingTests + numTodoTests;
    if (skipped > 0) this.line += `, ${skipped} skipped`;
  }
};
