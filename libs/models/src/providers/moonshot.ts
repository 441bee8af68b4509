import { type Provider } from '../provider.js';

export const moonshot: Provider = {
  id: 'moonshot',
  adapter: 'openai_compatible',
  priority: 70,
  isEnabled: true,
  baseUrl: 'https://api.moonshot.ai/v1',
  auth: {
    credentials: ['env:MOONSHOT_API_KEY', 'env:KIMI_API_KEY', 'vault:MOONSHOT_API_KEY', 'vault:KIMI_API_KEY'],
    header: 'bearer',
  },
  agentProfile: 'kimi',
  billingPolicy: 'openai',
  models: [
    {
      slug: 'kimi-k2.5',
      contextWindow: 262_144,
      maxOutput: 32_768,
      features: ['tools', 'vision', 'reasoning', 'prompt_cache', 'fixed_sampling'],
      costs: { input: 0.6, output: 3, cachedInput: 0.1 },
    },
    {
      slug: 'kimi-k3',
      aliases: ['kimi'],
      roles: ['default'],
      contextWindow: 1_048_576,
      maxOutput: 131_072,
      features: ['tools', 'vision', 'reasoning', 'prompt_cache', 'fixed_sampling'],
      effort: { levels: ['low', 'high', 'max'], isAdaptive: true },
      costs: { input: 3, output: 15, cachedInput: 0.3 },
    },
  ],
};
