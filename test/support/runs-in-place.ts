import type { RunKey, SandboxProvider } from '#libs/engine';

/** All runs that a provider has a sandbox of. */
export async function runsInPlace(provider: SandboxProvider): Promise<RunKey[]> {
  const found: RunKey[] = [];
  for await (const page of provider.inPlace()) found.push(...page);
  return found;
}
