import { type RunId, type TenantId } from '#libs/kernel';

/** Which run was made by which. */
export abstract class RunLines {
  /**
   * Whether a run was made by another one, or by a run that descends from that; a run is no descendant of its own. False
   * where either is not there or belongs to another tenant. A failure to look throws and never means "no".
   */
  abstract descends(run: { tenantId: TenantId; runId: RunId }, ancestor: RunId): Promise<boolean>;
}
