import { describe, expect, it } from '@jest/globals';
import { builtInCatalogue } from './built-in-catalogue.js';
import { REASONING_LEVELS, type Costs, type Model } from './model.js';

const { providers } = builtInCatalogue;
const offerings = providers.flatMap((provider) => provider.models.map((model) => ({ provider, model })));

/** The offerings for which something holds, by name. */
function those(holds: (model: Model) => boolean | undefined): string[] {
  return offerings.filter(({ model }) => holds(model)).map(({ provider, model }) => `${provider.id}:${model.slug}`);
}

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

describe('the built-in providers', () => {
  it('share no name', () => {
    expect(repeated(providers.flatMap(({ id, aliases = [] }) => [id, ...aliases]))).toEqual([]);
  });

  it.each(providers.map((provider) => [provider.id, provider] as const))('%s says all it must', (_, provider) => {
    const { auth, baseUrl, adapter, models } = provider;
    if (auth) expect(auth.credentials.length).toBeGreaterThan(0);
    if (auth?.credentials.includes('aws_sigv4')) expect(adapter).toBe('bedrock');
    if (baseUrl !== undefined) expect(new URL(baseUrl).pathname).not.toMatch(/.\/$/);
    for (const role of ['default', 'small', 'probe'] as const) {
      expect(models.filter(({ roles }) => roles?.includes(role)).length).toBeLessThanOrEqual(1);
    }
    expect(models.some(({ roles }) => roles?.includes('default'))).toBe(models.length > 0);
  });

  it.each(providers.map((provider) => [provider.id, provider.models] as const))(
    '%s calls each model by names of its own',
    (_, models) => {
      const names = models.flatMap(({ slug, aliases = [] }) => [slug, ...aliases]);
      expect(repeated(names)).toEqual([]);
      expect(names.filter((name) => !/^[a-z0-9][a-z0-9.-]*$/.test(name))).toEqual([]);
      expect(repeated(models.map(({ slug, apiId = slug }) => apiId))).toEqual([]);
      expect(models.filter(({ slug, apiId }) => apiId === slug)).toEqual([]);
    },
  );
});

describe('the built-in models', () => {
  it('are all there', () => {
    const count = Object.fromEntries(providers.map(({ id, models }) => [id, models.length]));
    expect(count).toEqual({
      anthropic: 9,
      openai: 8,
      gemini: 5,
      deepseek: 2,
      modal: 1,
      moonshot: 2,
      poolside: 2,
      zai: 2,
      litellm: 0,
      minimax: 1,
      inception: 1,
      venice: 8,
      fireworks: 11,
      ollama: 0,
      openrouter: 29,
      bedrock: 16,
      'bedrock-openai': 2,
      simulated: 1,
    });
  });

  it('answer no longer than they can read', () => {
    expect(those(({ contextWindow, maxOutput }) => !(maxOutput > 0 && maxOutput <= contextWindow))).toEqual([]);
  });

  it('take an effort only where they reason, in levels that rise', () => {
    expect(those(({ effort, features }) => effort && !features.includes('reasoning'))).toEqual([]);
    expect(those(({ effort }) => effort && effort.levels.length === 0)).toEqual([]);
    const ranks = ({ effort }: Model) => (effort?.levels ?? []).map((level) => REASONING_LEVELS.indexOf(level));
    expect(those((model) => ranks(model).some((rank, index, all) => rank <= (all[index - 1] ?? -1)))).toEqual([]);
  });

  it('mark caches only where they cache, and say each feature once', () => {
    expect(
      those(({ features }) => features.includes('cache_breakpoints') && !features.includes('prompt_cache')),
    ).toEqual([]);
    expect(those(({ features }) => new Set(features).size !== features.length)).toEqual([]);
  });

  it('cost something, less when cached and more when fast; the simulated one is free', () => {
    const isPlausible = ({ input, output, cachedInput = 0 }: Costs) =>
      input > 0 && output >= input && cachedInput < input;
    expect(those(({ costs }) => costs && !isPlausible(costs))).toEqual(['simulated:simulated']);
    expect(those(({ speeds }) => speeds && !isPlausible(speeds.fast))).toEqual([]);
    expect(those(({ costs, speeds }) => speeds && !(costs && speeds.fast.input > costs.input))).toEqual([]);
    expect(builtInCatalogue.model('simulated', 'simulated')?.costs).toEqual({ input: 0, output: 0, cachedInput: 0 });
  });

  it('are simulated only on request', () => {
    expect(builtInCatalogue.usual(() => true)?.provider.id).toBe('anthropic');
    expect(builtInCatalogue.usual(({ auth }) => auth === undefined)).toBeUndefined();
    expect(builtInCatalogue.provider('simulated')).toMatchObject({ isEnabled: true, adapter: 'simulated' });
  });
});
