/** What of a catalogue of models the rules ask about. */
export interface ModelNames {
  /** Whether a provider has this id or alias. */
  hasProvider(name: string): boolean;
  /** Whether a model has this name: with that provider, when one is named. */
  hasModel(name: string, provider?: string): boolean;
  /** The names of providers, to suggest one of. */
  providerNames(): readonly string[];
  /** The names of models: of that provider, when one is named. */
  modelNames(provider?: string): readonly string[];
}
