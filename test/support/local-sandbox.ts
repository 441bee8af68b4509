import { hostEnvironment, LocalSandboxProvider, type RunnerCommandLine } from '#libs/sandbox';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const loader = fileURLToPath(new URL('./typescript-loader.js', import.meta.url));
const runner = fileURLToPath(new URL('../../libs/sandbox/src/runner/main.ts', import.meta.url));

/** `node` with what it takes to run TypeScript as it lies in the repository. */
export const sourceArguments = ['--conditions', 'runyard-source', '--import', loader];

/** The runner of local sandboxes, from source: under Jest there is no compiled one. */
export function runnerFromSource(): RunnerCommandLine {
  return { command: process.execPath, args: [...sourceArguments, runner], searchPath: process.env.PATH };
}

/** Hosts come and go with a spec: a state directory for all workers of the host, and a directory to work in. */
export interface SandboxHost {
  readonly stateDirectory: string;
  readonly workingDirectory: string;
  /** One more worker process's provider. */
  provider(): LocalSandboxProvider;
  /** Closes all providers and removes the directories. */
  remove(): Promise<void>;
}

export async function sandboxHost(): Promise<SandboxHost> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-'));
  const providers: LocalSandboxProvider[] = [];
  return {
    stateDirectory: join(folder, 'state'),
    workingDirectory: folder,
    provider() {
      const stateDirectory = join(folder, 'state');
      const inheritedEnv = hostEnvironment(process.env);
      const provider = new LocalSandboxProvider({ stateDirectory, inheritedEnv, runner: runnerFromSource() });
      providers.push(provider);
      return provider;
    },
    async remove() {
      await Promise.all(providers.map((provider) => provider.close()));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
