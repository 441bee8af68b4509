import { REASONING_LEVELS } from '../model.js';
import { type Provider } from '../provider.js';

export const inception: Provider = {
  id: 'inception',
  adapter: 'openai_compatible',
  priority: 40,
  isEnabled: true,
  baseUrl: 'https://api.inceptionlabs.ai/v1',
  auth: { credentials: ['env:INCEPTION_API_KEY', 'vault:INCEPTION_API_KEY'], header: 'bearer' },
  agentProfile: 'openai',
  billingPolicy: 'openai',
  models: [
    {
      slug: 'mercury-2',
      aliases: ['mercury'],
      roles: ['default'],
      contextWindow: 131_072,
      maxOutput: 50_000,
      features: ['tools', 'reasoning'],
      effort: { levels: REASONING_LEVELS },
      costs: { input: 0.25, output: 0.75 },
    },
  ],
};
