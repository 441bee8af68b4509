export { builtInCatalogue } from './built-in-catalogue.js';
export { type ModelCatalogue, type Offering } from './catalogue.js';
export { type Costs, type Effort, type Feature, type Model, type ReasoningLevel, type ModelRole } from './model.js';
export { type Adapter, type Auth, type Credential, type Provider } from './provider.js';
