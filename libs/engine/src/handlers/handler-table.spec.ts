import { describe, expect, it } from '@jest/globals';
import { aRun, ok } from '../../../../test/support/a-run.js';
import type { AttemptResult } from '../stage/outcome.js';
import { CommandHandler } from './command-handler.js';
import { aDefinition } from '../../../../test/support/a-run.js';
import { HandlerTable } from './handler-table.js';
import { StageHandler, type StageTask } from './stage-handler.js';

class OneHandler extends StageHandler<'command'> {
  readonly kind = 'command';

  constructor(private readonly answer: () => AttemptResult) {
    super();
  }

  async execute(): Promise<AttemptResult> {
    return this.answer();
  }
}

// start -> build -> exit
const { definition, open } = aRun('start -> build -> exit').at('build');
const task = { node: definition.index.node('build')!, stage: open! } as StageTask;
const whose = (answer: () => AttemptResult) => new HandlerTable([new OneHandler(answer)]).execute(task);

describe('HandlerTable', () => {
  it('stops the boot when two handlers want one kind, or one wants what the walk decides', () => {
    const twice = () => new HandlerTable([new CommandHandler(), new OneHandler(ok)]);
    expect(twice).toThrow('Two handlers for nodes of kind "command".');
    const decided = { kind: 'wait', execute: async () => ok() } as const;
    expect(() => new HandlerTable([decided])).toThrow('Two handlers for nodes of kind "wait".');
  });

  it('knows which kinds can be executed', () => {
    const table = new HandlerTable([new CommandHandler()]);
    const { nodes } = aDefinition('w [shape=insulator, duration=1s] start -> c -> w -> p -> exit', { models: ['p'] })
      .root.graph;
    const supported = (given: HandlerTable) => nodes.filter((node) => !given.objectionTo(node)).map(({ id }) => id);
    expect(supported(table)).toEqual(['start', 'exit', 'w', 'c']);
    expect(supported(new HandlerTable([]))).toEqual(['start', 'exit', 'w']);
  });

  it('hands a stage to the handler of its kind', async () => {
    const result = ok({ notes: 'here' });
    expect(await whose(() => result)).toBe(result);
  });

  it('fails a stage that has none, for good', async () => {
    expect(await new HandlerTable([]).execute(task)).toEqual({
      kind: 'error',
      failure: {
        message: 'Node "build" is of kind "command", for which this server has no handler.',
        category: 'structural',
      },
      retryable: false,
    });
  });

  it('starts no agent of another make', async () => {
    const bot = { ...task.node, id: 'bot', kind: 'agent', backend: { type: 'acp', start: 'command', command: 'bot' } };
    const table = new HandlerTable([{ kind: 'agent', execute: async () => ok() }]);
    expect(await table.execute({ ...task, node: bot } as StageTask)).toEqual({
      kind: 'error',
      failure: {
        message: 'Node "bot" wants an external agent (backend=acp), which this server cannot start.',
        category: 'structural',
      },
      retryable: false,
    });
  });

  it('lets through what a handler throws', async () => {
    const defect = new TypeError('gone');
    const result = whose(() => {
      throw defect;
    });
    await expect(result).rejects.toBe(defect);
  });
});
