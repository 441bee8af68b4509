/** What the process of one piece of work executes: the work itself in a thread, so that its end can be asked for at any time. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf } from '#libs/kernel';
import type { Report, Task } from './program.js';

if (isMainThread) {
  // The parent is gone, and nobody waits for the answer.
  process.once('disconnect', () => process.exit());
  process.once('message', execute);
} else {
  const { module, input } = workerData as Task;
  try {
    const { default: work } = (await import(module)) as { default: (input: unknown) => unknown };
    parentPort!.postMessage({ output: await work(input) } satisfies Report);
  } catch (thrown) {
    parentPort!.postMessage({ thrown: messageOf(thrown) } satisfies Report);
  }
}

/** Says once how the thread ended, and ends. */
function execute(task: Task): void {
  const { stackMb: stackSizeMb, heapMb: maxOldGenerationSizeMb } = task;
  const thread = new Worker(new URL(import.meta.url), {
    workerData: task,
    resourceLimits: { stackSizeMb, maxOldGenerationSizeMb },
  });
  const report = (said: Report): void => void process.send!(said, () => process.exit());
  thread.once('message', report);
  thread.once('error', (error: NodeJS.ErrnoException) => {
    const why = messageOf(error);
    report(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { over: 'memory', why } : { thrown: why });
  });
}
