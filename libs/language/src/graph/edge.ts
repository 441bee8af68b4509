import { type Fidelity } from './fidelity.js';

export interface Edge {
  from: string;
  to: string;
  label?: string;
  /** Text of a condition that is known to compile. Absent: the edge is unconditional. */
  condition?: string;
  /** Higher wins. */
  weight: number;
  /** Overrides the target's own. */
  fidelity?: Fidelity;
  threadId?: string;
  loopRestart: boolean;
  /** On a human gate: the way a free text takes. */
  freeform: boolean;
  /** Place in the order of declaration, from 0. Two edges between the same nodes differ in it. */
  index: number;
}
