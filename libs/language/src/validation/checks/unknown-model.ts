import { quote } from '../../diagnostics/wording.js';
import { type ModelNames } from '../model-names.js';

/** What is wrong with a name, as the end of a sentence; `provider` is the one a model is asked of, when it is named. */
export function unknownModel(
  models: ModelNames,
  attribute: 'model' | 'provider',
  name: string,
  provider?: string,
): string | undefined {
  if (attribute === 'provider') {
    return models.hasProvider(name) ? undefined : `names the provider ${quote(name)}, which no catalogue has.`;
  }
  if (models.hasModel(name, provider)) return undefined;
  if (provider === undefined || !models.hasProvider(provider)) {
    return models.hasModel(name) ? undefined : `names the model ${quote(name)}, which no catalogue has.`;
  }
  return `names the model ${quote(name)}, which the provider ${quote(provider)} does not have.`;
}
