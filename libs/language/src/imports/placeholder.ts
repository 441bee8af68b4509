/** The rule that reports an import that cannot take the place of its placeholder. */
export const IMPORT_ERROR = 'import_error';

/** What a placeholder may say besides `import` and `class`: defaults for the nodes that take its place. */
export const PLACEHOLDER_DEFAULTS: readonly string[] = [
  'model',
  'provider',
  'reasoning_effort',
  'speed',
  'backend',
  'acp.command',
  'acp.config',
  'fidelity',
  'max_retries',
  'thread_id',
];
