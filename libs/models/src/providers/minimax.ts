import { type Provider } from '../provider.js';

export const minimax: Provider = {
  id: 'minimax',
  adapter: 'openai_compatible',
  priority: 50,
  isEnabled: true,
  baseUrl: 'https://api.minimax.io/v1',
  auth: { credentials: ['env:MINIMAX_API_KEY', 'vault:MINIMAX_API_KEY'], header: 'bearer' },
  agentProfile: 'openai',
  billingPolicy: 'openai',
  models: [
    {
      slug: 'minimax-m2.5',
      aliases: ['minimax'],
      roles: ['default'],
      contextWindow: 196_608,
      maxOutput: 16_384,
      features: ['tools'],
      costs: { input: 0.3, output: 1.2 },
    },
  ],
};
