import { ApiSchema } from '@nestjs/swagger';
import { Closed } from '../../../edge/schema/closed.js';
import { Integer, ListOf, MapOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { ShapeRule } from '../../../edge/schema/rule.js';
import { MAX_CONFIGS, MAX_WORKFLOWS } from '../manifest-limits.js';
import {
  directoryProblem,
  filesProblem,
  MAX_PATH_BYTES,
  ownParentProblem,
  runIdProblem,
  samePathProblem,
  targetProblem,
  titleProblem,
} from '../manifest-rules.js';
import { GitContext } from './git-context.js';
import { ManifestArgs, ManifestConfig, ManifestGoal, ManifestTarget, ManifestWorkflow } from './manifest-parts.js';

/** Everything a run needs, in one body. */
@Closed()
@ApiSchema({ name: 'RunManifest' })
@ShapeRule(['target', 'workflows'], 'target.path', targetProblem)
@ShapeRule(['workflows'], 'workflows', samePathProblem)
@ShapeRule(['run_id', 'parent_id'], 'parent_id', ownParentProblem)
export class RunManifestRequest {
  @Integer({ exactly: 1, doc: 'Version of this shape.' }) version!: number;
  @Text({ check: runIdProblem, optional: true, nullable: true, doc: 'Used instead of a fresh ULID.' })
  run_id?: string | null;
  @Text({ check: runIdProblem, optional: true, nullable: true, doc: 'The run that orchestrates this one.' })
  parent_id?: string | null;
  @Text({ min: 1, max: 100, trim: true, check: titleProblem, optional: true, nullable: true })
  title?: string | null;
  @Text({ maxBytes: MAX_PATH_BYTES, check: directoryProblem, doc: 'Where the client stood, an absolute path.' })
  cwd!: string;
  @Nested(GitContext, { optional: true }) git?: GitContext;
  @Nested(ManifestGoal, { optional: true }) goal?: ManifestGoal;
  @Nested(ManifestArgs, { optional: true }) args?: ManifestArgs;
  @Nested(ManifestTarget) target!: ManifestTarget;
  @ListOf(ManifestConfig, { max: MAX_CONFIGS, optional: true }) configs?: ManifestConfig[];
  @MapOf(ManifestWorkflow, { max: MAX_WORKFLOWS, check: filesProblem, doc: 'By resolved path.' }) workflows!: Record<
    string,
    ManifestWorkflow
  >;
}
