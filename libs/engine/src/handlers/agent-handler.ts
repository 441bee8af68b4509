import type { ModelClient } from '../ports/model.js';
import type { AttemptResult } from '../stage/outcome.js';
import { AskModel } from './ask-model.js';
import { StageHandler, type StageTask } from './stage-handler.js';

/** A conversation with a model about one task. It has no tools yet: what the model says is the result. */
export class AgentHandler extends StageHandler<'agent'> {
  readonly kind = 'agent';

  constructor(private readonly client: ModelClient) {
    super();
  }

  async execute(task: StageTask<'agent'>): Promise<AttemptResult> {
    const { node, stage, briefing, dryRun } = task;
    if (dryRun) return this.converse(task);
    const { model = '', provider = '' } = node;
    const visit = stage.execution;
    const thread = briefing?.threadId;
    task.say({
      event: 'agent.session.activated',
      properties: { visit, provider, model, ...(typeof thread === 'string' && { thread_id: thread }) },
    });
    try {
      return await this.converse(task);
    } finally {
      task.say({ event: 'agent.session.deactivated', properties: { visit } });
    }
  }

  private converse(task: StageTask<'agent'>): Promise<AttemptResult> {
    const { model = '', provider = '' } = task.node;
    return new AskModel(this.client, task, {
      mode: 'agent',
      answered: ({ text, usage: billing }) =>
        task.say({
          event: 'agent.message',
          properties: {
            ...{ visit: task.stage.execution, text, billing, tool_call_count: 0 },
            model: { provider, model_id: model },
          },
        }),
    }).run();
  }
}
