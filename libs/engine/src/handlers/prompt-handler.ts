import type { ModelClient } from '../ports/model.js';
import { branchFailures } from '../stage/branch-failures.js';
import type { AttemptResult } from '../stage/outcome.js';
import { AskModel, type AskingTask } from './ask-model.js';
import { StageHandler, type StageTask } from './stage-handler.js';

/** A single question to a model, without tools. */
export class PromptHandler extends StageHandler<'prompt'> {
  readonly kind = 'prompt';

  constructor(private readonly client: ModelClient) {
    super();
  }

  execute(task: StageTask<'prompt'>): Promise<AttemptResult> {
    return askOnce(this.client, task);
  }
}

/** Joins branches by asking a model about their results. */
export class FanInHandler extends StageHandler<'parallel.fan_in'> {
  readonly kind = 'parallel.fan_in';

  constructor(private readonly client: ModelClient) {
    super();
  }

  async execute(task: StageTask<'parallel.fan_in'>): Promise<AttemptResult> {
    const result = await askOnce(this.client, task);
    const failures = branchFailures(new Map(task.briefing?.context).get('parallel.results'));
    if (failures === undefined || result.kind === 'error') return result;
    const { outcome } = result;
    return { ...result, outcome: { ...outcome, notes: `${outcome.notes ?? task.node.id}; ${failures}` } };
  }
}

function askOnce(client: ModelClient, task: AskingTask): Promise<AttemptResult> {
  const { model = '', provider = '' } = task.node;
  return new AskModel(client, task, {
    mode: 'prompt',
    answered: ({ text: response, usage: billing }) =>
      task.say({ event: 'prompt.completed', properties: { response, model, provider, billing } }),
  }).run();
}
