import { LRUCache } from 'lru-cache';
import { canonicalJson, type Json, type TenantId } from '#libs/kernel';
import { encodeDefinition, encodeLargeDefinition, type EncodedDefinition } from '#libs/persistence';
import type { Compiling } from './compiling/compiling.js';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import type { RunManifestRequest } from './dto/run-manifest.js';
import type { Definition, definitionTasks } from './definition-tasks.js';
import type { ServerDefaults } from './run-settings.js';

/** Bytes of manifests and specs that are kept. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** What a manifest stands for. All runs that are made of it share this, so it is never changed. */
export interface DefinedRun extends Omit<Definition, 'specText'> {
  readonly manifest: EncodedDefinition;
  readonly spec: EncodedDefinition;
}

/**
 * Resolves and compiles manifests. The same manifest again is not compiled again, as long as it is among the last
 * 16 MiB; its digest is the key, so nothing but what is in it and this server's own settings may decide what comes out.
 */
export class RunDefinitions {
  private readonly kept = new LRUCache<string, DefinedRun>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ manifest, spec }) => manifest.text.length + spec.text.length,
  });
  private readonly underway = new Map<string, Promise<DefinedRun>>();

  constructor(private readonly compiling: Compiling<ReturnType<typeof definitionTasks>, ServerDefaults>) {}

  /**
   * Throws an `invalid` error with all that is wrong with the manifest and its workflow, and what {@link Compiling}
   * throws.
   */
  async of(request: RunManifestRequest, tenantId: TenantId): Promise<DefinedRun> {
    const manifest = encodeDefinition(canonicalJson(request as unknown as Json));
    const key = manifest.sha256;
    const known = this.kept.get(key) ?? this.underway.get(key);
    if (known) return known;
    const made = this.define(request, manifest, tenantId).finally(() => this.underway.delete(key));
    this.underway.set(key, made);
    const defined = await made;
    this.kept.set(key, defined);
    return defined;
  }

  /** Throws an `invalid` error when the workflow reads no input of one of these names. */
  async requireRead(manifest: RunManifestRequest, names: readonly string[], tenantId: TenantId): Promise<void> {
    const unread = names.length === 0 ? [] : await this.compiling.run('unread', { manifest, names }, tenantId);
    if (unread.length > 0) throw new InvalidRequestError(unread);
  }

  private async define(
    request: RunManifestRequest,
    manifest: EncodedDefinition,
    tenantId: TenantId,
  ): Promise<DefinedRun> {
    const { specText, ...defined } = await this.compiling.run('define', { manifest: request }, tenantId);
    if (!this.compiling.isHeavy(request)) return { manifest, spec: encodeDefinition(specText), ...defined };
    const [largeManifest, spec] = await Promise.all([manifest.text, specText].map(encodeLargeDefinition));
    return { manifest: largeManifest!, spec: spec!, ...defined };
  }
}
