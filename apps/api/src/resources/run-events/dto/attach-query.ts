import { runIdProblem } from '../../manifests/manifest-rules.js';
import { QueryFlag, QueryInteger, QueryText } from '../../../edge/schema/query.js';

export class AttachQuery {
  @QueryInteger({ min: 1, doc: 'First event of the stream; 1 when absent.' }) since_seq?: number;
  @QueryFlag({
    default: false,
    doc: 'Also show what models say and commands print while they do, in frames without an id: agent.llm.delta and command.output.delta, best effort and never stored.',
  })
  deltas = false;
}

export class AttachAllQuery {
  @QueryText({ check: runIdsProblem, doc: 'Only these runs: ids with commas between them.' }) run_id?: string;
}

function runIdsProblem(ids: string): string | undefined {
  return ids
    .split(',')
    .map(runIdProblem)
    .find((problem) => problem !== undefined);
}
