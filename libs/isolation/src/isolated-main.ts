/** What a process of isolated work executes: the work itself in a thread, so that its end can be asked for at any time. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf } from '#libs/kernel';
import type { ProgramReport, IsolatedTask } from './program.js';

type Work = (input: unknown) => unknown;

if (isMainThread) {
  // The parent is gone, and nobody waits for the answer.
  process.once('disconnect', () => process.exit());
  process.once('message', begin);
} else {
  const { module } = workerData as Pick<IsolatedTask, 'module'>;
  const loaded = (import(module) as Promise<{ default: Work }>).then((loaded) => loaded.default);
  parentPort!.on('message', (input) => {
    const report = (said: ProgramReport): void => parentPort!.postMessage(said);
    loaded
      .then((work) => work(input))
      .then((output) => report({ output }))
      .catch((thrown: unknown) => report({ thrown: messageOf(thrown) }));
  });
}

/** Starts the thread with the first task; all tasks of a process are of one module and have the same bounds. */
function begin({ module, input, stackMb: stackSizeMb, heapMb: maxOldGenerationSizeMb }: IsolatedTask): void {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: { module },
    resourceLimits: { stackSizeMb, maxOldGenerationSizeMb },
  });
  const report = (said: ProgramReport): void => void process.send!(said);
  thread.on('message', report);
  thread.once('error', (error: NodeJS.ErrnoException) => {
    const why = messageOf(error);
    report(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { over: 'memory', why } : { thrown: why });
  });
  thread.postMessage(input);
  process.on('message', (task: IsolatedTask) => thread.postMessage(task.input));
}
