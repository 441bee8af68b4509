import { type Model, type ModelRole } from './model.js';
import { type Provider } from './provider.js';

/** A model at a provider: what has limits, abilities and a price. */
export interface Offering {
  provider: Provider;
  model: Model;
}

/** Which models there are, who offers them, and under which names. A name nobody has finds nothing; that is no error. */
export class ModelCatalogue {
  /** Those that are asked first come first. */
  readonly providers: readonly Provider[];
  private readonly providersByName = new Map<string, Provider>();
  private readonly offeringsByName = new Map<string, Offering[]>();
  private readonly modelsByProvider = new Map<string, ReadonlyMap<string, Model>>();

  constructor(providers: readonly Provider[]) {
    this.providers = [...providers].sort(byRank);
    for (const provider of this.providers) {
      for (const name of [provider.id, ...(provider.aliases ?? [])]) this.providersByName.set(name, provider);
      this.modelsByProvider.set(provider.id, modelsByName(provider));
    }
    // Everybody's own names come before anybody's other names.
    this.index(({ slug }) => [slug]);
    this.index(({ aliases = [] }) => aliases);
  }

  private index(namesOf: (model: Model) => readonly string[]): void {
    for (const offering of this.providers.flatMap(offeringsOf)) {
      for (const name of namesOf(offering.model)) {
        const offerings = this.offeringsByName.get(name);
        if (offerings) offerings.push(offering);
        else this.offeringsByName.set(name, [offering]);
      }
    }
  }

  /** Everything that enabled providers offer. */
  get offerings(): readonly Offering[] {
    return this.providers.filter(({ isEnabled }) => isEnabled).flatMap(offeringsOf);
  }

  /** By id or alias. */
  provider(name: string): Provider | undefined {
    return this.providersByName.get(name);
  }

  /** A model of one provider: by slug, alias, or what the provider itself calls it. */
  model(name: string, provider: string): Model | undefined {
    return this.modelsOf(provider)?.get(name);
  }

  /**
   * What a name means when no provider is named with it, the best first: slugs before aliases, then the providers in
   * their order. Those that are not enabled are among them, so that one can say what is missing.
   */
  meaningsOf(name: string): readonly Offering[] {
    return this.offeringsByName.get(name) ?? [];
  }

  /** The model a provider has for a role, else its default; a provider without models has none. */
  modelFor(role: ModelRole, provider: Provider): Model | undefined {
    const having = (wanted: ModelRole) => provider.models.find(({ roles }) => roles?.includes(wanted));
    return having(role) ?? having('default');
  }

  /** What serves where nothing is named: the default of the first provider that is enabled, ready and has one. */
  usual(isReady: (provider: Provider) => boolean): Offering | undefined {
    for (const provider of this.providers) {
      const model = this.modelFor('default', provider);
      if (model && provider.isEnabled && !provider.onlyByName && isReady(provider)) return { provider, model };
    }
    return undefined;
  }

  hasProvider(name: string): boolean {
    return this.providersByName.has(name);
  }

  /** With that provider, when one is named; else with any. */
  hasModel(name: string, provider?: string): boolean {
    return provider === undefined ? this.offeringsByName.has(name) : this.model(name, provider) !== undefined;
  }

  providerNames(): readonly string[] {
    return [...this.providersByName.keys()];
  }

  /** Of that provider, when one is named; else of all. */
  modelNames(provider?: string): readonly string[] {
    const names = provider === undefined ? this.offeringsByName : this.modelsOf(provider);
    return [...(names?.keys() ?? [])];
  }

  private modelsOf(provider: string): ReadonlyMap<string, Model> | undefined {
    const named = this.provider(provider);
    return named && this.modelsByProvider.get(named.id);
  }
}

function offeringsOf(provider: Provider): Offering[] {
  return provider.models.map((model) => ({ provider, model }));
}

function modelsByName({ models }: Provider): Map<string, Model> {
  return new Map([
    ...models.map((model) => [model.apiId ?? model.slug, model] as const),
    ...models.flatMap((model) => (model.aliases ?? []).map((alias) => [alias, model] as const)),
    ...models.map((model) => [model.slug, model] as const),
  ]);
}

/** The highest priority first; among equals in the order of ids. */
function byRank(a: Provider, b: Provider): number {
  return b.priority - a.priority || (a.id < b.id ? -1 : 1);
}
