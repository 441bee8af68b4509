/** Which way the arrows point; drawn in docs/architecture.md. Imports of types count like all others. */
const PURE = 'kernel|language|events|models|settings|engine|runs|scheduling|billing';
const ADAPTERS = 'persistence|queue|event-stream|sandbox|llm|object-store|http-caller|telemetry|isolation';
const EDGES = 'config|api-client';
const SPEC = '\\.spec\\.ts$';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'everything-resolves',
      comment: 'What cannot be found is checked by no other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'front-door-only',
      comment: 'A lib is entered through #libs/<name>, never through a path inside it.',
      severity: 'error',
      from: { path: '^(apps|libs|test|bench)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/src/(?!index\\.ts$)', pathNot: '^libs/$2/' },
    },
    {
      name: 'apps-have-front-doors-too',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/([^/]+)/src/(?!index\\.ts$)', pathNot: '^apps/$1/' },
    },
    {
      name: 'pure-stays-pure',
      comment: 'Pure libs describe and decide; they know no framework, no database, no file system, no process.',
      severity: 'error',
      from: { path: `^libs/(${PURE})/src/`, pathNot: SPEC },
      to: {
        path: [
          '^(node:)?(fs|fs/promises|child_process|cluster|net|dgram|dns|http|http2|https|os|process|tls|worker_threads)$',
          'node_modules/(@nestjs|@prisma|pg|bullmq|ioredis|dockerode|@aws-sdk|fastify|undici|pino|@opentelemetry)/',
        ],
      },
    },
    {
      name: 'kernel-knows-nobody',
      severity: 'error',
      from: { path: '^libs/kernel/src/' },
      to: { path: '^libs/(?!kernel/)' },
    },
    {
      name: 'describe-knows-only-kernel',
      severity: 'error',
      from: { path: '^libs/(language|events)/src/' },
      to: { path: '^libs/(?!kernel/|language/|events/)' },
    },
    {
      name: 'models-and-settings-know-only-kernel',
      comment: 'What is there is described for everybody, so it brings nothing along.',
      severity: 'error',
      from: { path: '^libs/(models|settings)/src/' },
      to: { path: '^libs/(?!kernel/)', pathNot: '^libs/$1/' },
    },
    {
      name: 'decide-knows-no-adapter',
      severity: 'error',
      from: { path: '^libs/(engine|runs|scheduling|billing)/src/' },
      to: { path: `^libs/(${ADAPTERS}|${EDGES})/` },
    },
    {
      name: 'the-walk-knows-no-lifecycle',
      comment: 'What is asked of a stored run is decided above the walk, from what the walk says.',
      severity: 'error',
      from: { path: '^libs/engine/src/', pathNot: SPEC },
      to: { path: '^libs/runs/' },
    },
    {
      name: 'adapters-never-meet',
      comment: 'An app introduces them.',
      severity: 'error',
      from: { path: `^libs/(${ADAPTERS})/src/` },
      to: { path: `^libs/(${ADAPTERS}|${EDGES})/`, pathNot: '^libs/$1/' },
    },
    {
      name: 'edges-know-only-kernel',
      comment: 'Settings and the client of the API are what every program may use, so they bring nothing along.',
      severity: 'error',
      from: { path: `^libs/(${EDGES})/src/` },
      to: { path: '^libs/(?!kernel/)', pathNot: '^libs/$1/' },
    },
    {
      name: 'libs-know-no-app',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'clients-know-only-the-api',
      comment: 'The command line and the web UI speak HTTP like everybody else.',
      severity: 'error',
      from: { path: '^apps/(cli|web)/src/' },
      to: {
        path: [
          '^libs/(?!api-client/|kernel/|language/|models/|settings/|config/)',
          'node_modules/(@nestjs|@prisma|pg|bullmq|ioredis|fastify)/',
        ],
      },
    },
    {
      name: 'only-standalone-introduces-apps',
      comment: 'API and worker run in one process or in several; they and the clients never meet.',
      severity: 'error',
      from: { path: '^apps/(?!standalone/)([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'only-apps-know-the-runtime',
      comment: 'It puts the adapters together for every server process.',
      severity: 'error',
      from: { path: '^libs/(?!server-runtime/)' },
      to: { path: '^libs/server-runtime/' },
    },
    {
      name: 'fakes-stay-in-tests',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: SPEC },
      to: { path: `^(test|bench|scripts)/|${SPEC}` },
    },
    {
      name: 'shipped-packages-only',
      comment: 'An image holds `dependencies`; what only `devDependencies` brings is missing there.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // bench runs on the build, which a fresh clone does not have yet.
    exclude: { path: ['(^|/)generated/', '^(\\.\\./)*dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['runyard-source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
