import { REASONING_LEVELS } from '../model.js';
import { type Provider } from '../provider.js';

/** Answers without a network and without a price: for dry runs, a first start without keys, and tests. */
export const simulated: Provider = {
  id: 'simulated',
  adapter: 'simulated',
  priority: 0,
  isEnabled: true,
  onlyByName: true,
  agentProfile: 'openai',
  billingPolicy: 'openai',
  models: [
    {
      slug: 'simulated',
      roles: ['default', 'small', 'probe'],
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      features: ['tools', 'vision', 'reasoning', 'prompt_cache'],
      effort: { levels: REASONING_LEVELS },
      costs: { input: 0, output: 0, cachedInput: 0 },
    },
  ],
};
