import type { ModelClient } from '../ports/model.js';
import { errored, type AttemptResult } from '../stage/outcome.js';
import { AskModel } from './ask-model.js';
import { StageHandler, type StageTask } from './stage-handler.js';

/** A conversation with a model about one task. It has no tools yet: what the model says is the result. */
export class AgentHandler extends StageHandler<'agent'> {
  readonly kind = 'agent';

  constructor(private readonly client: ModelClient) {
    super();
  }

  async execute(task: StageTask<'agent'>): Promise<AttemptResult> {
    const { node, stage, briefing } = task;
    if (node.backend.type === 'acp' && !task.dryRun) {
      const message = `Node "${node.id}" wants an external agent (backend=acp), which this server cannot start.`;
      return errored({ message, category: 'structural' }, false);
    }
    const { model = '', provider = '' } = node;
    const visit = stage.execution;
    if (!task.dryRun) {
      const thread = briefing?.threadId;
      const properties = { visit, provider, model, ...(typeof thread === 'string' && { thread_id: thread }) };
      task.say({ event: 'agent.session.activated', properties });
    }
    const result = await new AskModel(this.client, task, {
      mode: 'agent',
      answered: ({ text, usage }) =>
        task.say({
          event: 'agent.message',
          properties: { visit, text, model: { provider, model_id: model }, billing: usage, tool_call_count: 0 },
        }),
    }).run();
    if (!task.dryRun) task.say({ event: 'agent.session.deactivated', properties: { visit } });
    return result;
  }
}
