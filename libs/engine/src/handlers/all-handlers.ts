import type { ModelClient } from '../ports/model.js';
import { AgentHandler } from './agent-handler.js';
import { CommandHandler } from './command-handler.js';
import { FanInHandler, PromptHandler } from './prompt-handler.js';
import type { AnyStageHandler } from './stage-handler.js';

/** Everything this version can execute, on a model client. */
export function allHandlers(client: ModelClient): AnyStageHandler[] {
  return [new CommandHandler(), new PromptHandler(client), new FanInHandler(client), new AgentHandler(client)];
}
