import tseslint from 'typescript-eslint';

/** A rule is given its instant, its dice and its settings; it never asks for them. */
const PURE = ['kernel', 'language', 'events', 'models', 'settings', 'engine', 'runs', 'scheduling', 'billing'].map(
  (lib) => `libs/${lib}/src/**/*.ts`,
);

export default tseslint.config(
  { ignores: ['dist', 'node_modules', '**/generated/**', 'coverage', 'prisma.config.ts'] },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
    },
  },
  {
    files: PURE,
    // The clock itself, its timers, and the loop that looks after chores: what they do is not a decision.
    ignores: ['**/*.spec.ts', 'libs/kernel/src/clock.ts', 'libs/kernel/src/timer.ts', 'libs/scheduling/src/upkeep.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'fetch',
        'setTimeout',
        'setInterval',
        'setImmediate',
        'performance',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now' },
        { object: 'Math', property: 'random' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: 'Instants come in as arguments.',
        },
      ],
    },
  },
  {
    files: ['apps/cli/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
