import {
  openQuestions,
  type AttemptResult,
  type HookWork,
  type OpenQuestion,
  type OpenStage,
  type HookDecision,
} from '#libs/engine';
import type { QuestionAnswer } from '#libs/events';
import { fails, faults, ok, wantsRetry, type ARun } from './a-run.js';

/** More than any drawing needs; a walk that takes more of them does not end. */
const MAX_MOVES = 20_000;

const results: readonly AttemptResult[] = [
  ok(),
  ok({ contextUpdates: { n: 3 } }),
  ok({ preferredLabel: '[B] Back', suggestedNextIds: ['n2'] }),
  ok({ status: 'partially_succeeded' }),
  ok({ status: 'skipped' }),
  fails('exit code 1'),
  fails('exit code 2', 'transient_infra'),
  wantsRetry(),
  faults(),
];

const verdicts: readonly HookDecision[] = [
  ...Array<HookDecision>(8).fill({ decision: 'proceed' }),
  { decision: 'skip', reason: 'done already' },
  { decision: 'override', edge_to: 'n2' },
  { decision: 'block', hook: 'guard', reason: 'frozen' },
];

/**
 * What surrounds a run, as a seed has it: what its stages report, what people answer and whether they do, and which of
 * several things happens first. All of it depends on where the run stands and on nothing else, so two walks that stand
 * at the same place meet the same world.
 */
export class AnyWorld {
  constructor(
    private readonly seed: number,
    /** Whether time may pass while something can happen. */
    private readonly hurries = false,
  ) {}

  /** Plays a run to its end. `look` sees it after every append. */
  play(run: ARun, look: (run: ARun) => void = () => undefined): ARun {
    if (run.walk.state.phase === 'created') run.begin();
    else run.advance();
    for (let moves = 0; run.walk.state.phase !== 'ended'; moves++) {
      look(run);
      if (moves > MAX_MOVES) throw new Error('The walk does not end.');
      this.move(run);
    }
    look(run);
    return run;
  }

  private move(run: ARun): void {
    if (run.last?.unsettled) {
      run.take(run.walk.settle());
      run.advance();
      return;
    }
    const moves = this.movesOf(run);
    const ids = moves.map(({ id }) => id);
    const chosen = moves[this.dice(ids.join()) % moves.length];
    if (!chosen) throw new Error('The walk is stuck.');
    chosen.go();
  }

  private movesOf(run: ARun): { id: string; go: () => void }[] {
    const happening = [
      ...run.working.map(({ path, stage }) => ({
        id: `${stage.id}/${stage.attempt}`,
        go: () => void run.finishes(path, this.resultOf(stage)),
      })),
      ...openQuestions(run.walk.state)
        .filter((question) => !this.isIgnored(question))
        .map((question) => ({ id: question.stage.id, go: () => this.answer(run, question) })),
      ...run.hooksAsked
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map((work) => ({ id: work.id, go: () => void run.hooksDecided(this.decisionOn(work), work) })),
    ];
    const canSleep = typeof run.last?.wakeAt === 'number' && (this.hurries || happening.length === 0);
    return canSleep ? [...happening, { id: 'sleep', go: () => void run.sleep() }] : happening;
  }

  /** The same attempt always reports the same, whoever executes it. */
  private resultOf({ id, attempt }: OpenStage): AttemptResult {
    return results[this.dice(`${id}/${attempt}`) % results.length]!;
  }

  /** Hooks say the same of the same moment, whoever asks them. */
  private decisionOn({ id }: HookWork): HookDecision {
    return verdicts[this.dice(id) % verdicts.length]!;
  }

  /** A question without a limit is answered some day. */
  private isIgnored({ stage, asked }: OpenQuestion): boolean {
    return asked.until !== null && this.dice(`silence ${stage.id}/${stage.attempt}`) % 2 === 0;
  }

  private answer(run: ARun, { stage, asked: { question } }: OpenQuestion): void {
    const { options = [] } = question;
    const option = options[this.dice(`answer ${stage.id}`) % options.length];
    const answer: QuestionAnswer = option ? { kind: 'selected', option_key: option.key } : { kind: 'text', text: 'x' };
    run.take(run.walk.answer(question.question_id, answer, undefined));
    run.advance();
  }

  /** A number that this world always gives for the same words. */
  dice(about: string): number {
    let hash = this.seed | 0;
    for (let n = 0; n < about.length; n++) hash = Math.imul(hash ^ about.charCodeAt(n), 0x85ebca6b);
    return Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  }
}
