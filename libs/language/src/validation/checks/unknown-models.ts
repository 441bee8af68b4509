import { quote } from '../../diagnostics/wording.js';
import { type DraftAttribute, type DraftAttributes } from '../../graph/draft-attribute.js';
import { type CheckedWorkflow } from '../workflow.js';

interface UnknownModel {
  attribute: 'model' | 'provider';
  /** The end of a sentence about who names it. */
  message: string;
  fix?: string;
}

/** The provider and the model among some attributes, as far as the catalogue does not have them. */
export function* unknownModels(
  workflow: CheckedWorkflow,
  written: DraftAttributes,
  passOver: ReadonlySet<DraftAttribute> = new Set(),
): Generator<UnknownModel> {
  const { models } = workflow;
  if (!models) return;
  const isDoubted = (attribute: string) => !passOver.has(written.get(attribute)!);

  const provider = written.words('provider');
  const isKnown = provider !== undefined && models.hasProvider(provider);
  if (provider !== undefined && !isKnown && isDoubted('provider')) {
    const message = `names the provider ${quote(provider)}, which the catalogue does not have.`;
    yield { attribute: 'provider', message, ...workflow.suggest(provider, () => models.providerNames()) };
  }

  const model = written.words('model');
  const offeredBy = isKnown ? provider : undefined;
  if (model !== undefined && !models.hasModel(model, offeredBy) && isDoubted('model')) {
    const where = isKnown ? `the provider ${quote(provider)}` : 'the catalogue';
    const message = `names the model ${quote(model)}, which ${where} does not have.`;
    yield { attribute: 'model', message, ...workflow.suggest(model, () => models.modelNames(offeredBy)) };
  }
}
