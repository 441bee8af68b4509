import { type Provider } from '../provider.js';

export const deepseek: Provider = {
  id: 'deepseek',
  adapter: 'openai_compatible',
  priority: 75,
  isEnabled: true,
  baseUrl: 'https://api.deepseek.com',
  auth: { credentials: ['env:DEEPSEEK_API_KEY', 'vault:DEEPSEEK_API_KEY'], header: 'bearer' },
  agentProfile: 'openai',
  billingPolicy: 'openai',
  models: [
    {
      slug: 'deepseek-v4-flash',
      aliases: ['deepseek-v4', 'deepseek', 'deepseek-flash'],
      roles: ['default', 'small', 'probe'],
      contextWindow: 1_048_576,
      maxOutput: 384_000,
      features: ['tools', 'reasoning', 'prompt_cache', 'fixed_sampling'],
      effort: { levels: ['low', 'high', 'max'] },
      costs: { input: 0.14, output: 0.28, cachedInput: 0.0028 },
      agentProfile: 'openai',
    },
    {
      slug: 'deepseek-v4-pro',
      contextWindow: 1_048_576,
      maxOutput: 384_000,
      features: ['tools', 'reasoning', 'prompt_cache', 'fixed_sampling'],
      effort: { levels: ['high', 'max'] },
      costs: { input: 0.435, output: 0.87, cachedInput: 0.003625 },
      agentProfile: 'openai',
    },
  ],
};
