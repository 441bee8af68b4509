/** How much of what happened before a stage is told to its model. */
export type Fidelity = 'compact' | 'full' | 'summary:high' | 'summary:medium' | 'summary:low' | 'truncate';

export const fidelities: readonly Fidelity[] = [
  'compact',
  'full',
  'summary:high',
  'summary:medium',
  'summary:low',
  'truncate',
];
