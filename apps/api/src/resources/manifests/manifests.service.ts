import type { TenantId } from '#libs/kernel';
import type { ManifestCompiling } from '../../compile-program.js';
import type { Drawings } from '../../drawing/drawings.js';
import type { RunManifestRequest } from './dto/run-manifest.js';
import type { PreflightResponse } from './dto/preflight.js';
import type { RenderWorkflowGraphRequest } from './dto/render-graph.js';
import type { ValidateResponse } from './dto/workflow-summary.js';

/**
 * Says what a manifest comes to, and makes no run of it. Throws an `invalid` error for a manifest that nothing can be
 * said about: it contradicts itself, or its settings cannot be resolved; and what {@link Compiling} throws.
 */
export class ManifestChecks {
  constructor(
    private readonly compiling: ManifestCompiling,
    private readonly drawings: Drawings,
  ) {}

  validate(manifest: RunManifestRequest, tenantId: TenantId): Promise<ValidateResponse> {
    return this.compiling.run('validate', { manifest }, tenantId);
  }

  /** The same, held to what creating a run is held to, and whether this server could execute it. */
  preflight(manifest: RunManifestRequest, tenantId: TenantId): Promise<PreflightResponse> {
    return this.compiling.run('preflight', { manifest }, tenantId);
  }

  /** The workflow as SVG. One with errors is `invalid`, and all of them are said. */
  async draw(request: RenderWorkflowGraphRequest, tenantId: TenantId): Promise<string> {
    return this.drawings.drawSubject(await this.compiling.run('picture', request, tenantId), tenantId);
  }
}
