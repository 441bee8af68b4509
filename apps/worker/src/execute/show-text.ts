import type { EventNotices, OpenStage } from '#libs/engine';
import type { Node } from '#libs/language';
import type { RunId, TenantId } from '#libs/kernel';

export type ShowText = (node: Node, stage: OpenStage, text: string, offset: number) => void;

/** Shows the followers of one run what its models say and its commands print, as it comes. */
export function showTextOf(notices: EventNotices, { tenantId, runId }: { tenantId: TenantId; runId: RunId }): ShowText {
  return (node, stage, text, offset) =>
    notices.show({
      source: node.kind === 'command' ? 'command' : 'model',
      ...{ tenantId, runId, nodeId: node.id, nodeLabel: node.label },
      ...{ stageId: stage.id, visit: stage.execution, offset, text },
    });
}
