import { RunManifestRequest } from './run-manifest.js';
import { Choice, Nested } from '../../../edge/schema/decorators.js';

export class RenderWorkflowGraphRequest {
  @Nested(RunManifestRequest) manifest!: RunManifestRequest;
  @Choice(['svg'], { name: 'RenderWorkflowGraphFormat', optional: true }) format?: 'svg';
  @Choice(['lr', 'tb'], {
    name: 'RenderWorkflowGraphDirection',
    optional: true,
    doc: "The workflow's own when absent.",
  })
  direction?: 'lr' | 'tb';
}
