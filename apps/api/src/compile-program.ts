import { allHandlers, HandlerTable } from '#libs/engine';
import type { Program } from '#libs/isolation';
import { SimulatedModel } from '#libs/llm';
import { checkTasks } from './resources/manifests/check-tasks.js';
import type { Compiling, HeavyTask } from './resources/manifests/compiling/compiling.js';
import { taskOutcomeOf, type TaskOutcome } from './resources/manifests/compiling/task.js';
import { definitionTasks } from './resources/manifests/definition-tasks.js';
import type { ServerDefaults } from './resources/manifests/run-settings.js';

const handlers = new HandlerTable(allHandlers(new SimulatedModel()));

/** Everything that manifests are compiled for. */
export const compileTasks = { ...checkTasks(handlers), ...definitionTasks(handlers) };

export type CompileTasks = typeof compileTasks;
export type ManifestCompiling = Compiling<CompileTasks, ServerDefaults>;

/** The program of a compiled Runyard. */
export function compiledProgram(): Program {
  return { module: new URL('./compile-program.js', import.meta.url) };
}

/** Does one task; executed in a process of its own. */
export default function compileApart({ name, input, server }: HeavyTask): TaskOutcome {
  return taskOutcomeOf(() =>
    compileTasks[name as keyof CompileTasks](JSON.parse(input) as never, server as never, 'whole'),
  );
}
