import { type Provider } from '../provider.js';

export const litellm: Provider = {
  id: 'litellm',
  adapter: 'openai_compatible',
  priority: 50,
  isEnabled: false,
  baseUrl: 'http://localhost:4000/v1',
  auth: { credentials: ['env:LITELLM_API_KEY', 'vault:LITELLM_API_KEY'], header: 'bearer' },
  agentProfile: 'openai',
  billingPolicy: 'openai',
  models: [],
};
