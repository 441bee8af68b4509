import { Flag, MapOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { textKind } from '../../../edge/schema/values.js';
import { runIdProblem, titleProblem } from '../../manifests/manifest-rules.js';
import { SandboxProviderName, type SandboxProviderKind } from '../../manifests/dto/run-sandbox.js';

export class StartRunRequest {
  @Flag({ optional: true, default: false, doc: 'Go on from the last checkpoint of an interrupted or failed run.' })
  resume = false;
}

/** What the new run does differently. Everything that is absent stays as it was. */
export class RetryEdits {
  @Text({ optional: true, doc: 'Replaces the goal.' }) goal?: string;
  @MapOf(textKind(), { optional: true, doc: 'Inputs by name; others keep their values.' })
  inputs?: Record<string, string>;
  @Text({ optional: true, min: 1, doc: 'The default model.' }) model?: string;
  @Flag({ optional: true, doc: 'Whether questions are answered by themselves, with the first positive option.' })
  auto_approve?: boolean;
}

export class RetryRunRequest {
  @Nested(RetryEdits, { optional: true }) edits?: RetryEdits;
}

export class UpdateRunRequest {
  @Text({ min: 1, max: 100, trim: true, check: titleProblem }) title!: string;
}

export class UpdateRunParentRequest {
  @Text({ check: runIdProblem, doc: 'The run that orchestrates this one from now on.' }) parent_id!: string;
}

export class DenyRunRequest {
  @Text({ optional: true, nullable: true, max: 1_000, doc: 'Told to whoever looks at the run.' }) reason?:
    string | null;
}

/** The sandbox that a deleted run left behind. */
export class DeleteRunSandbox {
  @SandboxProviderName() provider!: SandboxProviderKind;
  @Text() id!: string;
}

export class DeleteRunResponse {
  @Flag() deleted!: boolean;
  @Flag() sandbox_preserved!: boolean;
  @Nested(DeleteRunSandbox) sandbox!: DeleteRunSandbox;
}
