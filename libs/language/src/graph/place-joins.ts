import { dominators } from './dominators.js';
import { type Edge } from './edge.js';
import { type Node, type ParallelNode } from './graph.js';

/**
 * Finds where the branches of every parallel node meet: at the first fan-in that all of them must pass and that belongs
 * to no later fork, else at the first node that all of them must pass. A parallel node whose branches meet nowhere
 * before the exit gets no join, and a rule of its own says so. Takes time almost linear in the graph.
 */
export function placeJoins(nodes: readonly Node[], edges: readonly Edge[]): void {
  const forks = nodes.filter((node): node is ParallelNode => node.kind === 'parallel');
  if (forks.length === 0) return;
  const exit = nodes.findIndex(({ kind }) => kind === 'exit');
  if (exit === -1) return;

  const numberOf = new Map(nodes.map(({ id }, number) => [id, number]));
  const targets: number[][] = nodes.map(() => []);
  const origins: number[][] = nodes.map(() => []);
  for (const { from, to } of edges) {
    const [tail, head] = [numberOf.get(from), numberOf.get(to)];
    if (tail === undefined || head === undefined) continue;
    targets[tail]!.push(head);
    origins[head]!.push(tail);
  }
  const { parents, order } = dominators(exit, origins, targets);
  const fanIns = ownFanIns(nodes, parents, order);

  for (const fork of forks) {
    const number = numberOf.get(fork.id)!;
    const branches = new Set(targets[number]);
    const [only] = branches.size === 1 ? branches : [];
    const meeting = only === undefined || nodes[only]!.kind === 'parallel.fan_in' ? parents[number]! : parents[only]!;
    const join = meeting === NOWHERE ? NOWHERE : fanIns[meeting] === NOWHERE ? meeting : fanIns[meeting]!;
    if (join !== NOWHERE && join !== exit) fork.join = nodes[join]!.id;
  }
}

const NOWHERE = -1;

/** For each node the first fan-in on every way from it to the exit, itself included, with no fork before it. */
function ownFanIns(nodes: readonly Node[], parents: Int32Array, order: readonly number[]): Int32Array {
  const found = new Int32Array(nodes.length).fill(NOWHERE);
  for (const number of order) {
    const { kind } = nodes[number]!;
    if (kind === 'parallel.fan_in') found[number] = number;
    else if (kind !== 'parallel' && parents[number] !== NOWHERE) found[number] = found[parents[number]!]!;
  }
  return found;
}
