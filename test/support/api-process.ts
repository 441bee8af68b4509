/** An API process for specs that kill it. Its argument is an {@link ApiProcessSetup}, as JSON. */
import { createLogger, untilSignal } from '#libs/server-runtime';
import { startApi } from '../../apps/api/src/index.js';
import { compilingFromSource, drawingFromSource } from './program-from-source.js';
import { testPlatform } from './test-platform.js';

export interface ApiProcessSetup {
  databaseUrl: string;
  stateDirectory: string;
  limit: number;
  port: number;
  redisUrl?: string;
}

const { databaseUrl, stateDirectory, limit, port, redisUrl } = JSON.parse(process.argv[2]!) as ApiProcessSetup;
const log = createLogger('info', 'api');
const platform = await testPlatform({ databaseUrl, folder: stateDirectory, limit, redisUrl, log });
const local = { provider: 'local', env: {}, labels: {} } as const;
const api = await startApi(platform, log, {
  bindings: [{ host: '127.0.0.1', port }],
  defaults: {
    model: null,
    environment: 'default',
    environments: { default: local },
    providers: ['local'],
    hooksReach: 'anywhere',
  },
  webUrl: null,
  storageDirectory: stateDirectory,
  limits: { streamsPerToken: 1_000 },
  drawing: drawingFromSource(),
  compiling: compilingFromSource(),
});
platform.upkeep.start();
log.info({ addresses: api.addresses }, 'The API listens.');
await untilSignal();
await api.close();
await platform.close();
