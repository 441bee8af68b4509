import { type Provider } from '../provider.js';

export const poolside: Provider = {
  id: 'poolside',
  adapter: 'openai_compatible',
  priority: 65,
  isEnabled: true,
  baseUrl: 'https://inference.poolside.ai/v1',
  auth: { credentials: ['env:POOLSIDE_API_KEY', 'vault:POOLSIDE_API_KEY'], header: 'bearer' },
  agentProfile: 'openai',
  billingPolicy: 'openai',
  models: [
    {
      slug: 'laguna-s-2.1',
      aliases: ['laguna', 'laguna-s'],
      apiId: 'poolside/laguna-s-2.1',
      roles: ['default'],
      contextWindow: 1_048_576,
      maxOutput: 131_072,
      features: ['tools', 'reasoning', 'prompt_cache'],
      costs: { input: 0.1, output: 0.2, cachedInput: 0.01 },
    },
    {
      slug: 'laguna-xs-2.1',
      aliases: ['laguna-xs'],
      apiId: 'poolside/laguna-xs-2.1',
      roles: ['small', 'probe'],
      contextWindow: 262_144,
      maxOutput: 32_768,
      features: ['tools', 'reasoning', 'prompt_cache'],
      costs: { input: 0.1, output: 0.2, cachedInput: 0.05 },
    },
  ],
};
