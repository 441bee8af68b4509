import { REASONING_LEVELS } from '../model.js';
import { type Provider } from '../provider.js';

export const bedrockOpenai: Provider = {
  id: 'bedrock-openai',
  adapter: 'openai',
  priority: 19,
  isEnabled: false,
  baseUrl: 'https://bedrock-mantle.us-east-1.api.aws/openai/v1',
  auth: {
    credentials: [
      'env:AWS_BEARER_TOKEN_BEDROCK',
      'env:BEDROCK_API_KEY',
      'vault:AWS_BEARER_TOKEN_BEDROCK',
      'vault:BEDROCK_API_KEY',
    ],
    header: 'bearer',
  },
  agentProfile: 'openai',
  billingPolicy: 'openai',
  models: [
    {
      slug: 'gpt-5.5',
      apiId: 'openai.gpt-5.5',
      roles: ['default'],
      contextWindow: 272_000,
      maxOutput: 128_000,
      features: ['tools', 'vision', 'reasoning'],
      effort: { levels: REASONING_LEVELS },
      costs: { input: 5.5, output: 33 },
    },
    {
      slug: 'gpt-5.4',
      apiId: 'openai.gpt-5.4',
      contextWindow: 272_000,
      maxOutput: 128_000,
      features: ['tools', 'vision', 'reasoning'],
      effort: { levels: REASONING_LEVELS },
      costs: { input: 2.75, output: 16.5 },
    },
  ],
};
