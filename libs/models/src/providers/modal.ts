import { type Provider } from '../provider.js';

export const modal: Provider = {
  id: 'modal',
  adapter: 'openai_compatible',
  priority: 75,
  isEnabled: false,
  extraHeaders: {
    'Modal-Key': '{{ secrets.MODAL_TOKEN_ID }}',
    'Modal-Secret': '{{ secrets.MODAL_TOKEN_SECRET }}',
  },
  agentProfile: 'kimi',
  billingPolicy: 'openai',
  models: [
    {
      slug: 'kimi-k3',
      apiId: 'moonshotai/Kimi-K3',
      roles: ['default'],
      contextWindow: 1_048_576,
      maxOutput: 131_072,
      features: ['tools', 'vision', 'reasoning', 'prompt_cache', 'fixed_sampling'],
      effort: { levels: ['low', 'high', 'max'], isAdaptive: true },
      costs: { input: 3, output: 15, cachedInput: 0.3 },
    },
  ],
};
