import type { SandboxProvider, SandboxRun } from '#libs/engine';

/** All runs that a provider has a sandbox of. */
export async function runsInPlace(provider: SandboxProvider): Promise<SandboxRun[]> {
  const found: SandboxRun[] = [];
  for await (const page of provider.inPlace()) found.push(...page);
  return found;
}
