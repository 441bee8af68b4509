/** What of a catalogue of models the rules ask about. */
export interface ModelNames {
  /** Whether a provider has this id or alias. */
  hasProvider(name: string): boolean;
  /** Whether a model has this id or alias: with that provider, when one is named. */
  hasModel(name: string, provider?: string): boolean;
}
