import { ModelCatalogue } from './catalogue.js';
import { anthropic } from './providers/anthropic.js';
import { bedrockOpenai } from './providers/bedrock-openai.js';
import { bedrock } from './providers/bedrock.js';
import { deepseek } from './providers/deepseek.js';
import { fireworks } from './providers/fireworks.js';
import { gemini } from './providers/gemini.js';
import { inception } from './providers/inception.js';
import { litellm } from './providers/litellm.js';
import { minimax } from './providers/minimax.js';
import { modal } from './providers/modal.js';
import { moonshot } from './providers/moonshot.js';
import { ollama } from './providers/ollama.js';
import { openai } from './providers/openai.js';
import { openrouter } from './providers/openrouter.js';
import { poolside } from './providers/poolside.js';
import { simulated } from './providers/simulated.js';
import { venice } from './providers/venice.js';
import { zai } from './providers/zai.js';

/** The models that are known without any settings: facts about the outside world at one time. */
export const builtInCatalogue = new ModelCatalogue([
  anthropic,
  bedrockOpenai,
  bedrock,
  deepseek,
  fireworks,
  gemini,
  inception,
  litellm,
  minimax,
  modal,
  moonshot,
  ollama,
  openai,
  openrouter,
  poolside,
  simulated,
  venice,
  zai,
]);
