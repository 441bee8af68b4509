import { fileURLToPath } from 'node:url';
import { TestProcess } from '../support/processes.js';
import { Member } from './member.js';
import type { SiteOptions } from './site-options.js';

const dyingWorker = fileURLToPath(new URL('./dying-worker.js', import.meta.url));
/** On a machine that is busy with everything else that starts. */
const START_MS = 60_000;

/** The API processes of a site, one for each port, and its workers; nobody is started yet. */
export function crew(
  { build, workers = 3, buildOf, dyingAt, surroundings }: SiteOptions,
  ports: readonly number[],
  variables: NodeJS.ProcessEnv,
): { apis: Member[]; workers: Member[] } {
  const begin = async (program: readonly string[], env: NodeJS.ProcessEnv, ready: string): Promise<TestProcess> => {
    const started = TestProcess.start(program, env);
    try {
      await started.says(ready, START_MS);
      return started;
    } catch (thrown) {
      await started.kill();
      throw thrown;
    }
  };
  const api = (port: number, place: number): Promise<TestProcess> => {
    const env = { ...variables, ...surroundings?.('api', place), RUNYARD_BIND: `127.0.0.1:${port}` };
    return begin([(buildOf?.('api', place) ?? build).main('api')], env, 'The API listens.');
  };
  const worker = (place: number): Promise<TestProcess> => {
    const env = { ...variables, ...surroundings?.('worker', place) };
    const version = buildOf?.('worker', place) ?? build;
    const at = dyingAt?.(place);
    const program = at ? [dyingWorker, version.dist, JSON.stringify(at)] : [version.main('worker')];
    return begin(program, env, 'The worker is ready.');
  };
  return {
    apis: ports.map((port, place) => new Member(`api ${place}`, () => api(port, place))),
    workers: Array.from({ length: workers }, (_, place) => new Member(`worker ${place}`, () => worker(place))),
  };
}
