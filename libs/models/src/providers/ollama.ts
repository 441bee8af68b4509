import { type Provider } from '../provider.js';

export const ollama: Provider = {
  id: 'ollama',
  adapter: 'openai_compatible',
  priority: 30,
  isEnabled: false,
  baseUrl: 'http://localhost:11434/v1',
  agentProfile: 'openai',
  billingPolicy: 'none',
  models: [],
};
