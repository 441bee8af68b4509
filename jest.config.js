/** One project per kind of test, so that each can be run alone: `npm run test:unit`, `npx jest --selectProjects e2e`. */
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

export default {
  maxWorkers: 2,
  // Each file loads its modules anew and leaves some of them behind; a process full of them only collects garbage.
  workerIdleMemoryLimit: '1GB',
  testTimeout: 30_000,
  testSequencer: '<rootDir>/scripts/test-sequencer.cjs',
  projects: [
    project('unit', ['<rootDir>/{libs,apps}/**/*.spec.ts', '<rootDir>/test/conformance/**/*.spec.ts']),
    project('contracts', ['<rootDir>/test/contracts/**/*.spec.ts'], withPostgres),
    project('e2e', ['<rootDir>/test/e2e/**/*.spec.ts'], withPostgres),
    project('attacks', ['<rootDir>/test/attacks/**/*.spec.ts'], {
      ...withPostgres,
      setupFilesAfterEnv: ['<rootDir>/test/support/attack-strain.ts'],
    }),
    project('scenarios', ['<rootDir>/test/scenarios/**/*.spec.ts'], withPostgres),
  ],
};
