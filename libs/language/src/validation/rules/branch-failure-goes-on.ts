import { type HandlerKind } from '../../graph/handler-kind.js';
import { type Node } from '../../graph/graph.js';
import { namesInBrief, quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';
import { type CheckedWorkflow } from '../workflow.js';

/** What looks at how branches ended: the outcome of the join, or the results themselves. */
const ASKS = /(?:^|[\s!&|])(?:context\.)?(?:outcome|failure_class|parallel\.results)\b/;

/** Conditional nodes between a branch and its join that are looked through, so that checking stays linear. */
const MAX_LOOKED_THROUGH = 1_000;

/** Kinds whose failure is an ordinary result of theirs. */
const FALLIBLE: ReadonlySet<HandlerKind> = new Set(['agent', 'command', 'prompt', 'stack.manager_loop']);

/** A failed branch makes its join a partial success, which follows an unconditional edge like any other. */
export const branchFailureGoesOn: Rule = {
  id: 'branch_failure_goes_on',
  severity: 'warning',
  *check(workflow) {
    const joins = new Set(workflow.nodesOf('parallel').flatMap(({ join }) => join ?? []));
    for (const id of joins) {
      const join = workflow.index.node(id);
      if (!join || isConsidered(workflow, join)) continue;
      const ends = endsOfBranches(workflow, join);
      if (ends.length === 0) continue;
      const names = namesInBrief(ends);
      const message = `When a branch fails (${names}), the run goes on behind the join ${quote(id)} as if it had not.`;
      yield workflow.onNode(join, message, { fix: fixFor(join) });
    }
  },
};

function fixFor({ id, kind }: Node): string {
  const route = `put condition="outcome=partially_succeeded" on an edge that leads to where a failure is dealt with`;
  if (kind === 'parallel.fan_in') return `Behind ${quote(id)}, ${route}; or say that it is meant: auto_status=true.`;
  return `Lead the branches to a fan-in (shape=tripleoctagon) of their own; behind it, ${route}.`;
}

/** Whether something about the join shows that failed branches are reckoned with. */
function isConsidered(workflow: CheckedWorkflow, join: Node): boolean {
  switch (join.kind) {
    case 'parallel.fan_in':
      return join.autoStatus || join.prompt !== undefined || asksBehind(workflow, join);
    case 'conditional':
      return asksBehind(workflow, join);
    default:
      return readsResults(join);
  }
}

function readsResults(node: Node | undefined): boolean {
  return node?.kind === 'command' && node.stdinSource?.replace(/^context\./, '') === 'parallel.results';
}

/** Whether an edge behind a node looks at its outcome, or the next node does, or reads what the branches left. */
function asksBehind(workflow: CheckedWorkflow, { id }: Node): boolean {
  const outgoing = workflow.index.outgoing(id);
  return outgoing.some(({ condition, to }) => {
    if (condition !== undefined) return ASKS.test(condition);
    const next = workflow.index.node(to);
    return readsResults(next) || (next?.kind === 'conditional' && asks(workflow, to));
  });
}

function asks({ index }: CheckedWorkflow, id: string): boolean {
  return index.outgoing(id).some(({ condition }) => condition !== undefined && ASKS.test(condition));
}

/** The nodes that lead to a join whether they fail or not. */
function endsOfBranches(workflow: CheckedWorkflow, join: Node): string[] {
  const { index } = workflow;
  const ends: string[] = [];
  const seen = new Set([join.id]);
  for (const id of seen) {
    if (seen.size > MAX_LOOKED_THROUGH) break;
    for (const { from } of index.incoming(id)) {
      const node = index.node(from);
      if (!node || seen.has(from) || asks(workflow, from)) continue;
      if (node.kind === 'conditional') seen.add(from);
      else if (FALLIBLE.has(node.kind) && !node.autoStatus && !node.goalGate) ends.push(from);
    }
  }
  return [...new Set(ends)];
}
