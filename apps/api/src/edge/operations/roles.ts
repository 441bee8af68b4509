/** From the least to the most. Whoever has a role may do what the roles before it may. */
export const ROLES = ['viewer', 'operator', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** The least role of every operation that is not public; an operation that is missing here is open to nobody. */
export const LEAST_ROLE: Readonly<Record<string, Role>> = {
  listRuns: 'viewer',
  resolveRun: 'viewer',
  retrieveRun: 'viewer',
  retrieveRunGraph: 'viewer',
  retrieveRunGraphSource: 'viewer',
  retrieveRunBilling: 'viewer',
  retrieveRunSettings: 'viewer',
  listRunStages: 'viewer',
  listRunEvents: 'viewer',
  attachRunEvents: 'viewer',
  attachEvents: 'viewer',
  validateRunManifest: 'viewer',
  renderWorkflowGraph: 'viewer',
  listRunQuestions: 'viewer',
  submitRunAnswer: 'operator',
  getRunTimeline: 'viewer',
  getRunState: 'viewer',
  retrieveRunCheckpoint: 'viewer',
  forkRun: 'operator',
  rewindRun: 'editor',
  pauseRun: 'operator',
  unpauseRun: 'operator',
  runPreflight: 'operator',
  createRun: 'operator',
  startRun: 'operator',
  approveRun: 'operator',
  denyRun: 'operator',
  cancelRun: 'operator',
  retryRun: 'operator',
  updateRun: 'operator',
  linkRunParent: 'operator',
  unlinkRunParent: 'operator',
  archiveRun: 'operator',
  unarchiveRun: 'operator',
  batchArchiveRuns: 'operator',
  batchUnarchiveRuns: 'operator',
  getSystemInfo: 'viewer',
  getSystemResources: 'viewer',
  checkSystem: 'viewer',
  getSystemDiskUsage: 'viewer',
  getSystemRepairRuns: 'viewer',
  getMetrics: 'viewer',
  pruneRuns: 'editor',
  deleteRun: 'editor',
  batchDeleteRuns: 'editor',
};
