import { Flag, Nested, Text } from '../../schema/decorators.js';
import { Provider, type SandboxProviderKind } from './run-sandbox.js';

export class StartRunRequest {
  @Flag({ optional: true, default: false, doc: 'Go on from the last checkpoint of an interrupted or failed run.' })
  resume = false;
}

/** The sandbox that a deleted run left behind. */
export class DeleteRunSandbox {
  @Provider() provider!: SandboxProviderKind;
  @Text() id!: string;
}

export class DeleteRunResponse {
  @Flag() deleted!: boolean;
  @Flag() sandbox_preserved!: boolean;
  @Nested(DeleteRunSandbox) sandbox!: DeleteRunSandbox;
}
