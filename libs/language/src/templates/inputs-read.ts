import { type TemplateTag, type TagToken } from './jinja/tag.js';
import { INPUT_VARIABLES } from './scripts/script-variables.js';

/** Which inputs the texts of a workflow name, whichever way its templates go. */
export interface ReadInputs {
  readonly names: ReadonlySet<string>;
  /** The variables of inputs that scripts name. What a program of their own reads, nobody knows. */
  readonly variables: ReadonlySet<string>;
  /** Some text may read inputs whose names nobody can list. */
  readonly readsAny: boolean;
  /** The names that are used and that nothing defines. */
  readonly missing: ReadonlySet<string>;
}

/** Collects them while texts are read. */
export class InputsRead implements ReadInputs {
  readonly names = new Set<string>();
  readonly variables = new Set<string>();
  readonly missing = new Set<string>();
  readsAny = false;

  add(name: string): void {
    this.names.add(name);
  }

  /** `inputs.x` and `inputs["x"]` name an input; any other use of `inputs` may read all of them. */
  addFrom({ tokens }: TemplateTag): void {
    tokens.forEach((token, at) => {
      if (token.type !== 'Identifier' || token.value !== 'inputs' || tokens[at - 1]?.type === 'Dot') return;
      const name = memberAfter(tokens, at);
      if (name === undefined) this.readsAny = true;
      else this.names.add(name);
    });
  }

  addVariablesIn(script: string): void {
    for (const [name] of script.matchAll(INPUT_VARIABLES)) this.variables.add(name);
  }

  /** Takes note of a name that nothing defines: `inputs.x` or another one. */
  addMissing(name: string): void {
    const [root, member] = name.split('.');
    if (root === 'inputs' && member !== undefined) this.missing.add(member);
  }
}

function memberAfter(tokens: readonly TagToken[], at: number): string | undefined {
  const [sign, member, end] = tokens.slice(at + 1, at + 4);
  // A method, such as inputs.items(), is none.
  if (sign?.type === 'Dot') return end?.type === 'OpenParen' ? undefined : member?.value;
  const isWritten = sign?.type === 'OpenSquareBracket' && member?.type === 'StringLiteral';
  return isWritten && end?.type === 'CloseSquareBracket' ? member.value : undefined;
}
