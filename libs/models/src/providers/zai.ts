import { type Provider } from '../provider.js';

export const zai: Provider = {
  id: 'zai',
  adapter: 'openai_compatible',
  priority: 60,
  isEnabled: true,
  baseUrl: 'https://api.z.ai/api/coding/paas/v4',
  auth: { credentials: ['env:ZAI_API_KEY', 'vault:ZAI_API_KEY'], header: 'bearer' },
  agentProfile: 'openai',
  billingPolicy: 'openai',
  models: [
    {
      slug: 'glm-5.2',
      aliases: ['glm', 'glm5', 'glm52', 'glm5.2'],
      roles: ['default'],
      contextWindow: 1_048_576,
      maxOutput: 131_072,
      features: ['tools', 'reasoning', 'prompt_cache'],
      effort: { levels: ['high', 'max'] },
      costs: { input: 1.4, output: 4.4, cachedInput: 0.26 },
    },
    {
      slug: 'glm-4.7',
      aliases: ['glm4'],
      contextWindow: 202_752,
      maxOutput: 16_384,
      features: ['tools'],
      costs: { input: 0.6, output: 2.2 },
    },
  ],
};
