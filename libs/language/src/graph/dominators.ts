/** `parents[v]` is what every way from the root to `v` passes last before it; -1 for the root and what it does not reach. */
export interface DominatorTree {
  parents: Int32Array;
  /** What the root reaches, each after its parent. */
  order: readonly number[];
}

/**
 * The dominator tree of a graph whose nodes are numbers (Lengauer and Tarjan, with path compression: O(m log n)). Given
 * the edges turned round and the exit as root, it tells where ways meet again.
 */
export function dominators(
  root: number,
  successors: readonly (readonly number[])[],
  predecessors: readonly (readonly number[])[],
): DominatorTree {
  const size = successors.length;
  const { order, parent, rank } = depthFirst(root, successors);

  // `semi`, `best` and `ancestor` hold ranks, that is, places in the order of the search.
  const count = order.length;
  const semi = Int32Array.from({ length: count }, (_, at) => at);
  const best = Int32Array.from(semi);
  const ancestor = new Int32Array(count).fill(-1);
  const dominator = new Int32Array(count).fill(-1);
  const buckets: number[][] = Array.from({ length: count }, () => []);

  /** The rank with the least semidominator on the way up to the root of its tree. Shortens the way. */
  const evaluate = (rankOfNode: number): number => {
    const way: number[] = [];
    let top = rankOfNode;
    while (ancestor[top] !== -1 && ancestor[ancestor[top]!] !== -1) {
      way.push(top);
      top = ancestor[top]!;
    }
    for (let step = way.pop(); step !== undefined; step = way.pop()) {
      const above = ancestor[step]!;
      if (semi[best[above]!]! < semi[best[step]!]!) best[step] = best[above]!;
      ancestor[step] = ancestor[above]!;
    }
    return ancestor[rankOfNode] === -1 ? rankOfNode : best[rankOfNode]!;
  };

  for (let at = count - 1; at > 0; at--) {
    for (const node of predecessors[order[at]!]!) {
      if (rank[node] === -1) continue;
      semi[at] = Math.min(semi[at]!, semi[evaluate(rank[node]!)]!);
    }
    buckets[semi[at]!]!.push(at);
    const above = parent[at]!;
    ancestor[at] = above;
    for (const waiting of buckets[above]!) {
      const least = evaluate(waiting);
      dominator[waiting] = semi[least]! < semi[waiting]! ? least : above;
    }
    buckets[above] = [];
  }
  const parents = new Int32Array(size).fill(-1);
  for (let at = 1; at < count; at++) {
    if (dominator[at] !== semi[at]) dominator[at] = dominator[dominator[at]!]!;
    parents[order[at]!] = order[dominator[at]!]!;
  }
  return { parents, order };
}

/** The nodes in the order of a search in depth; `parent` is by rank, `rank` by node. */
function depthFirst(root: number, successors: readonly (readonly number[])[]) {
  const order = [root];
  const parent = [-1];
  const rank = new Int32Array(successors.length).fill(-1);
  rank[root] = 0;
  const open = [{ at: 0, node: root, next: 0 }];
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const node = successors[top.node]![top.next++];
    if (node === undefined) open.pop();
    else if (rank[node] === -1) {
      rank[node] = order.length;
      parent.push(top.at);
      open.push({ at: order.length, node, next: 0 });
      order.push(node);
    }
  }
  return { order, parent, rank };
}
