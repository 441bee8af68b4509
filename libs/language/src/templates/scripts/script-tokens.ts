/** A token of a script, `{{ inputs.name }}`: it stands between `from` and `to`. */
export interface ScriptToken {
  root: 'goal' | 'inputs' | 'vars' | 'env' | 'secrets';
  /** What follows the root; empty for the goal. */
  name: string;
  from: number;
  to: number;
}

const TOKEN =
  /\{\{ ?(?:(goal)|(inputs)\.([A-Za-z0-9_][A-Za-z0-9_-]*)|(vars|env|secrets)\.([A-Za-z_][A-Za-z0-9_]*)) ?\}\}/g;

/** The tokens of a script. Anything else in braces belongs to the script. */
export function scriptTokens(script: string): ScriptToken[] {
  if (!script.includes('{{')) return [];
  return Array.from(
    script.matchAll(TOKEN),
    ({ 0: written, 1: goal, 2: inputs, 3: input, 4: root, 5: name, index }) => ({
      root: (goal ?? inputs ?? root) as ScriptToken['root'],
      name: input ?? name ?? '',
      from: index,
      to: index + written.length,
    }),
  );
}
