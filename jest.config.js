/**
 * One project per kind of test, so that each can be run alone: `npm run test:unit`, `npm run jest -- --selectProjects e2e`.
 * Every spec file loads its modules anew, which leaves much behind that is soon dead: the script `jest` has a large young
 * generation, which the thread that made it collects, and saves up to a sixth of the CPU by that.
 */
const shared = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['runyard-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', { swcrc: true, module: { type: 'es6' } }],
  },
};

const project = (displayName, testMatch, more = {}) => ({ ...shared, displayName, testMatch, ...more });

const withPostgres = {
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
};

const withBuild = {
  globalSetup: '<rootDir>/test/support/build-setup.js',
  globalTeardown: '<rootDir>/test/support/build-teardown.js',
};

export default {
  maxWorkers: 2,
  // Each file loads its modules anew and leaves some of them behind; a process full of them only collects garbage.
  workerIdleMemoryLimit: '1GB',
  // Nothing is measured by it: it ends a test that hangs, on a busy machine too.
  testTimeout: 120_000,
  testSequencer: '<rootDir>/scripts/test-sequencer.cjs',
  projects: [
    project('unit', ['<rootDir>/{libs,apps}/**/*.spec.ts', '<rootDir>/test/conformance/**/*.spec.ts']),
    project('contracts', ['<rootDir>/test/contracts/**/*.spec.ts'], withPostgres),
    project('e2e', ['<rootDir>/test/e2e/**/*.spec.ts'], withPostgres),
    project('attacks', ['<rootDir>/test/attacks/**/*.spec.ts'], withBuild),
    project('scenarios', ['<rootDir>/test/scenarios/**/*.spec.ts'], withBuild),
  ],
};
