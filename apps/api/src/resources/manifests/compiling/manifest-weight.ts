import type { RunManifestRequest } from '../dto/run-manifest.js';

/** What a manifest takes to be compiled grows with the texts in it, in characters. */
export function manifestWeight({ workflows, configs = [], args = {}, goal }: RunManifestRequest): number {
  let weight = goal?.text.length ?? 0;
  for (const { source, config, files = {} } of Object.values(workflows)) {
    weight += source.length + (config?.source.length ?? 0);
    for (const { content } of Object.values(files)) weight += content.length;
  }
  for (const { source } of configs) weight += source?.length ?? 0;
  for (const entry of args.input ?? []) weight += entry.length;
  for (const entry of args.label ?? []) weight += entry.length;
  return weight;
}
