/** Which way the arrows point: see "Layout" in the README. */
const PURE = 'kernel|language|events|engine|scheduling|billing';
const ADAPTERS = 'persistence|queue|event-stream|sandbox|llm|object-store';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'front-door-only',
      comment: 'A lib is entered through #libs/<name>, never through a path inside it.',
      severity: 'error',
      from: { path: '^(apps|libs|test|bench)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/src/(?!index\\.ts$)', pathNot: '^libs/$2/' },
    },
    {
      name: 'pure-stays-pure',
      comment: 'Pure libs describe and decide; they know no framework, no database, no file system, no process.',
      severity: 'error',
      from: { path: `^libs/(${PURE})/src/`, pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(node:)?(fs|fs/promises|child_process|net|http|https|os|process|worker_threads)$|node_modules/(@nestjs|@prisma|pg|bullmq|ioredis|dockerode|@aws-sdk|fastify)/',
      },
    },
    {
      name: 'arrows-point-down',
      comment: 'kernel < language, events < engine, scheduling, billing < adapters < apps.',
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
      name: 'decide-knows-no-adapter',
      severity: 'error',
      from: { path: '^libs/(engine|scheduling|billing)/src/' },
      to: { path: `^libs/(${ADAPTERS}|config|api-client)/` },
    },
    {
      name: 'adapters-never-meet',
      severity: 'error',
      from: { path: `^libs/(${ADAPTERS})/src/` },
      to: { path: `^libs/(${ADAPTERS}|config|api-client)/`, pathNot: '^libs/$1/' },
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
      to: { path: '^libs/(?!api-client/|kernel/|language/|config/)' },
    },
    {
      name: 'api-and-worker-never-meet',
      comment: 'They run in one process or in several; only the standalone server introduces them.',
      severity: 'error',
      from: { path: '^apps/(api|worker|platform)/src/' },
      to: { path: '^apps/(?!platform/)', pathNot: '^apps/$1/' },
    },
    {
      name: 'fakes-stay-in-tests',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '\\.spec\\.ts$|/testing/' },
      to: { path: '^test/|/testing/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)generated/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['runyard-source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
