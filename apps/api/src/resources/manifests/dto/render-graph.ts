import { RunManifestRequest } from './run-manifest.js';
import { OneOf, Nested } from '../../../edge/schema/decorators.js';

export class RenderWorkflowGraphRequest {
  @Nested(RunManifestRequest) manifest!: RunManifestRequest;
  @OneOf(['svg'], { name: 'RenderWorkflowGraphFormat', optional: true }) format?: 'svg';
  @OneOf(['lr', 'tb'], {
    name: 'RenderWorkflowGraphDirection',
    optional: true,
    doc: "The workflow's own when absent.",
  })
  direction?: 'lr' | 'tb';
}
