import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { ModelClient, ModelError, type ModelAnswer, type ModelObserver, type ModelRequest } from '#libs/engine';
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '#libs/kernel';
import { valueFor } from './value-for.js';

const PROVIDER = 'simulated';
const CHARACTERS_A_TOKEN = 4;
const PIECE = 32;
const MAX_DELAY_MS = 600_000;
const MAX_ANSWER = 8 * 1024 * 1024;
/** Beyond that a value cannot be written as JSON by every process. */
const MAX_LEVELS = 1_000;
/** So many pieces are given before others have their turn. */
const PIECES_AT_ONCE = 256;

/**
 * A model without a network: the same question gets the same answer, at no cost. A line `simulate: …` in the last message
 * is the answer, or, as a JSON object on that line, says what it is to do: `text` (as many `times` as wanted) or `json` to
 * answer, `delay_ms` to think, `pace_ms` to rest between two pieces of the answer, `fail` with a message to refuse and
 * `transient` whether that may pass. Without an answer to give, it makes one up that has the format that is wanted.
 */
export class SimulatedModel extends ModelClient {
  serves(provider: string): boolean {
    return provider === PROVIDER;
  }

  async generate(request: ModelRequest, { signal, onText }: ModelObserver): Promise<ModelAnswer> {
    const question = request.messages.at(-1)?.text ?? '';
    const wish = wishIn(question);
    await pause(wish.delay_ms, signal);
    if (typeof wish.fail === 'string') {
      const isTransient = wish.transient === true;
      throw new ModelError(wish.fail, isTransient ? 'transient_infra' : 'deterministic', isTransient);
    }
    const text = answerTo(request, wish);
    for (let at = 0; at < text.length; at += PIECE) {
      if (at > 0) await pause(wish.pace_ms, signal);
      if (at % (PIECE * PIECES_AT_ONCE) === 0) await setImmediate();
      onText?.(text.slice(at, at + PIECE));
    }
    return { text, usage: usageOf(request, text) };
  }
}

function wishIn(question: string): JsonObject {
  const line = /^simulate:(.*)$/m.exec(question)?.[1]?.trim() ?? '';
  if (line === '') return {};
  if (!line.startsWith('{')) return { text: line };
  try {
    const wish: unknown = JSON.parse(line);
    return isJsonObject(wish) ? wish : {};
  } catch (cause) {
    throw new ModelError(
      `The line "simulate: …" is not valid JSON: ${(cause as Error).message}`,
      'deterministic',
      false,
    );
  }
}

function answerTo({ messages, format }: ModelRequest, { text, json, times }: JsonObject): string {
  if (typeof text === 'string') return text.repeat(timesFor(text, times));
  if (json !== undefined) return jsonText(json);
  if (format === 'json') return '{"outcome":"succeeded"}';
  if (format) return JSON.stringify(valueFor(format.schema, messages.at(-1)?.text ?? ''));
  return `[Simulated] Answer ${messages.length} to a prompt of ${messages[0]?.text.length ?? 0} characters.`;
}

function jsonText(value: Json): string {
  if (!isDeeperThan(MAX_LEVELS, value)) return JSON.stringify(value);
  throw new ModelError(
    `The value of "simulate: …" is nested deeper than ${MAX_LEVELS} levels.`,
    'deterministic',
    false,
  );
}

/** How often a text is said; an answer stays one that a process can hold. */
function timesFor(text: string, times: Json | undefined): number {
  if (typeof times !== 'number' || !(times >= 1)) return 1;
  return Math.min(Math.floor(times), Math.ceil(MAX_ANSWER / Math.max(1, text.length)));
}

/** Counts as providers do, by a plain rule. Nothing is cached and nothing costs anything. */
function usageOf({ system = '', messages }: ModelRequest, answer: string): ModelAnswer['usage'] {
  const tokens = (text: string): number => Math.ceil(text.length / CHARACTERS_A_TOKEN);
  const input_tokens = tokens(system) + messages.reduce((sum, { text }) => sum + tokens(text), 0);
  const output_tokens = tokens(answer);
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    reasoning_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    total_usd_micros: 0,
  };
}

async function pause(ms: Json | undefined, signal: AbortSignal): Promise<void> {
  if (typeof ms === 'number') await sleep(Math.min(ms, MAX_DELAY_MS), undefined, { signal });
  signal.throwIfAborted();
}
