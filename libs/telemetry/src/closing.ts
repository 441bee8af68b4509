import type { TokenBilling } from '#libs/events';
import type { KnownEvent } from './known-event.js';
import { spanKeyOf } from './opening.js';
import type { Attributes } from './span.js';

/** What an event ends, and how that ended. */
export interface Closing {
  key: string;
  attributes: Attributes;
  error: string | null;
}

/** What an event closes of all that {@link openingOf} opens; null where it closes nothing. */
export function closingOf(event: KnownEvent): Closing | null {
  const closes = (attributes: Attributes, error: string | null = null): Closing => {
    return { key: spanKeyOf(event), attributes, error };
  };
  switch (event.event) {
    case 'parallel.branch.completed':
    case 'subgraph.completed': {
      const { status } = event.properties;
      return closes({ 'runyard.outcome': status }, status === 'failed' ? 'It failed.' : null);
    }
    case 'sandbox.ready':
      return closes({});
    case 'sandbox.failed':
      return closes({}, event.properties.error);
    case 'command.completed': {
      const { termination, exit_code = 0 } = event.properties;
      const attributes = { 'runyard.command.termination': termination, 'process.exit.code': exit_code };
      if (termination !== 'exited') return closes(attributes, `The command was ended: ${termination}.`);
      return closes(attributes, exit_code === 0 ? null : `The command ended with exit code ${exit_code}.`);
    }
    case 'prompt.completed':
    case 'agent.message':
      return closes(tokensOf(event.properties.billing));
    case 'interview.completed':
      return closes({ 'runyard.question.end': 'answered' });
    case 'interview.timeout':
      return closes({ 'runyard.question.end': 'timeout' });
    case 'interview.interrupted':
      return closes({ 'runyard.question.end': 'interrupted' });
    case 'hook.completed':
      return closes({ 'runyard.hook.decision': event.properties.decision });
    case 'hook.failed':
      return closes({ 'runyard.hook.decision': event.properties.decision }, event.properties.error);
    default:
      return null;
  }
}

export function tokensOf({ input_tokens, output_tokens, total_tokens }: TokenBilling): Attributes {
  return {
    'gen_ai.usage.input_tokens': input_tokens,
    'gen_ai.usage.output_tokens': output_tokens,
    'runyard.usage.total_tokens': total_tokens,
  };
}
