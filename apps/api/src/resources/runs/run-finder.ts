import { RunyardError, type RunId } from '#libs/kernel';
import type { NamedWorkflow, RunReader } from '#libs/persistence';
import type { Caller } from '../../edge/auth/caller.js';
import { runOf } from '../../edge/auth/run-tokens.js';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import type { SelectorMatch } from './dto/run-queries.js';
import { quote } from '../../edge/schema/kind.js';

/** How many ids or workflows are named when a selector fits several. */
const NAMED = 10;
/** Where a selector has to name its run exactly, fewer characters are no beginning of an id. */
const LEAST_OF_ID = 4;

/** No run has an id that begins like this, or a workflow of this name. */
class NoRunSelectedError extends RunyardError {
  override readonly code = 'run_not_found';
  readonly kind = 'missing';

  constructor(selector: string, advice = '') {
    super(`No run has an id that begins with ${quote(selector)}, or a workflow of that name.${advice}`);
  }
}

/** What a caller may choose among: the runs of its tenant, or for a run itself and its descendants. */
interface Choice {
  idsBeginningWith(prefix: string, limit: number): Promise<RunId[]>;
  newestOfWorkflow(text: string): Promise<RunId | undefined>;
  workflowsNamed(text: string, limit: number): Promise<NamedWorkflow[]>;
}

/** Finds the run that a text means: by the beginning of its id, else as the newest of a workflow. */
export class RunFinder {
  constructor(private readonly reader: RunReader) {}

  /** Throws `invalid` when the text may mean several, and `missing` when it means none; both name what it is near to. */
  async find(caller: Caller, selector: string, match: SelectorMatch): Promise<RunId> {
    const choice = this.choiceOf(caller);
    if (match === 'newest' || selector.length >= LEAST_OF_ID) {
      const ids = await choice.idsBeginningWith(selector, NAMED + 1);
      if (ids.length > 1) throw new InvalidRequestError([severalIds(selector, ids)]);
      if (ids[0] !== undefined) return ids[0];
    }
    if (match !== 'newest') return chosenOf(selector, await choice.workflowsNamed(selector, NAMED + 1), match);
    const newest = await choice.newestOfWorkflow(selector);
    if (newest === undefined) throw new NoRunSelectedError(selector);
    return newest;
  }

  private choiceOf(caller: Caller): Choice {
    const { reader } = this;
    const { tenantId } = caller;
    const runId = runOf(caller);
    if (runId !== undefined) {
      const line = { tenantId, runId };
      return {
        idsBeginningWith: (prefix, limit) => reader.lineBeginningWith(line, prefix, limit),
        newestOfWorkflow: (text) => reader.newestOfLine(line, text),
        workflowsNamed: (text, limit) => reader.workflowsOfLine(line, text, limit),
      };
    }
    return {
      idsBeginningWith: (prefix, limit) => reader.idsBeginningWith(tenantId, prefix, limit),
      newestOfWorkflow: (text) => reader.newestOfWorkflow(tenantId, text),
      workflowsNamed: (text, limit) => reader.workflowsNamed(tenantId, text, limit),
    };
  }
}

/** The newest run of the workflow that is meant; `workflows` are those whose name holds the selector, exact ones first. */
export function chosenOf(
  selector: string,
  workflows: readonly NamedWorkflow[],
  match: Exclude<SelectorMatch, 'newest'>,
): RunId {
  const exact = workflows.filter(({ isExact }) => isExact);
  const meant = exact.length > 0 || match === 'exact' ? exact : workflows;
  if (meant.length > 1) throw new InvalidRequestError([severalWorkflows(selector, meant)]);
  if (meant[0]) return meant[0].runId;
  const near = workflows.length === 0 ? '' : ` It is a part of ${namesOf(workflows)}: give the whole name, or an id.`;
  const short = selector.length < LEAST_OF_ID ? ` The beginning of an id has at least ${LEAST_OF_ID} characters.` : '';
  throw new NoRunSelectedError(selector, near || short);
}

function severalIds(selector: string, ids: readonly RunId[]): string {
  return `${quote(selector)} is the beginning of several run ids: ${named(ids)}. Give more of the id.`;
}

function severalWorkflows(selector: string, workflows: readonly NamedWorkflow[]): string {
  return `${quote(selector)} may be any of several workflows: ${namesOf(workflows)}. Give the whole name of one, or the id of a run.`;
}

/** Workflows with the same name have different slugs, so that both are said. */
function namesOf(workflows: readonly NamedWorkflow[]): string {
  return named(
    workflows.map(({ slug, workflow }) => (slug === '' || slug === workflow ? workflow : `${slug} (${workflow})`)),
  );
}

function named(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ' and more' : ''}`;
}
