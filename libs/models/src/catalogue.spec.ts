import { describe, expect, it } from '@jest/globals';
import { ModelCatalogue, type Offering } from './catalogue.js';
import { type Model } from './model.js';
import { type Provider } from './provider.js';

function aModel(slug: string, more: Partial<Model> = {}): Model {
  return { slug, contextWindow: 1_000, maxOutput: 100, features: ['tools'], ...more };
}

function aProvider(id: string, priority: number, models: Model[], more: Partial<Provider> = {}): Provider {
  return {
    id,
    priority,
    models,
    adapter: 'openai',
    isEnabled: true,
    agentProfile: 'openai',
    billingPolicy: 'openai',
    ...more,
  };
}

const catalogue = new ModelCatalogue([
  aProvider('shop', 10, [aModel('sun', { aliases: ['star'] }), aModel('moon', { roles: ['default'] })]),
  aProvider('acme', 10, [aModel('sun', { apiId: 'acme/sun-1' }), aModel('star')], { aliases: ['acme-inc'] }),
  aProvider('lab', 90, [
    aModel('sun-mini', { aliases: ['star'], roles: ['small'] }),
    aModel('sun', { roles: ['default'] }),
  ]),
  aProvider('attic', 99, [aModel('old', { aliases: ['dust'], roles: ['default'] })], { isEnabled: false }),
  aProvider('toy', 100, [aModel('toy', { roles: ['default'] })], { onlyByName: true }),
  aProvider('bare', 95, []),
]);

const named = (offerings: readonly Offering[]) =>
  offerings.map(({ provider, model }) => `${provider.id}:${model.slug}`);

describe('a catalogue', () => {
  it('orders providers by priority, then by id', () => {
    expect(catalogue.providers.map(({ id }) => id)).toEqual(['toy', 'attic', 'bare', 'lab', 'acme', 'shop']);
  });

  it('lists what enabled providers offer', () => {
    expect(named(catalogue.offerings)).toEqual([
      'toy:toy',
      'lab:sun-mini',
      'lab:sun',
      'acme:sun',
      'acme:star',
      'shop:sun',
      'shop:moon',
    ]);
  });

  it('finds a provider by id and by alias', () => {
    expect(catalogue.provider('acme')).toBe(catalogue.provider('acme-inc'));
    expect(catalogue.provider('Acme')).toBeUndefined();
    expect(catalogue.provider('__proto__')).toBeUndefined();
  });

  it.each([
    ['sun', 'lab:sun acme:sun shop:sun'],
    ['star', 'acme:star lab:sun-mini shop:sun'],
    ['dust', 'attic:old'],
    ['acme/sun-1', ''],
    ['constructor', ''],
  ])('takes %s for %j', (name, meanings) => {
    expect(named(catalogue.meaningsOf(name)).join(' ')).toBe(meanings);
    expect(catalogue.hasModel(name)).toBe(meanings !== '');
  });

  it.each([
    ['sun', 'acme', 'sun'],
    ['acme/sun-1', 'acme-inc', 'sun'],
    ['star', 'acme', 'star'],
    ['star', 'shop', 'sun'],
    ['moon', 'acme', undefined],
    ['sun', 'nobody', undefined],
  ])('takes %s of %s for %s', (name, provider, slug) => {
    expect(catalogue.model(name, provider)?.slug).toBe(slug);
    expect(catalogue.hasModel(name, provider)).toBe(slug !== undefined);
  });

  it('has a model for a role, or else the default', () => {
    const slugs = (role: Parameters<typeof catalogue.modelFor>[0]) =>
      ['lab', 'shop', 'bare'].map((id) => catalogue.modelFor(role, catalogue.provider(id)!)?.slug);
    expect(slugs('default')).toEqual(['sun', 'moon', undefined]);
    expect(slugs('small')).toEqual(['sun-mini', 'moon', undefined]);
  });

  it('chooses by itself the first that is enabled, ready and no toy', () => {
    expect(named([catalogue.usual(() => true)!])).toEqual(['lab:sun']);
    expect(named([catalogue.usual(({ id }) => id !== 'lab')!])).toEqual(['shop:moon']);
    expect(catalogue.usual(() => false)).toBeUndefined();
  });

  it('knows all names, for suggestions', () => {
    expect(catalogue.providerNames()).toContain('acme-inc');
    expect(catalogue.hasProvider('acme-inc')).toBe(true);
    expect(catalogue.hasProvider('nobody')).toBe(false);
    expect(catalogue.modelNames()).toEqual(expect.arrayContaining(['sun', 'star', 'dust']));
    expect([...catalogue.modelNames('acme')].sort()).toEqual(['acme/sun-1', 'star', 'sun']);
    expect(catalogue.modelNames('nobody')).toEqual([]);
  });
});
