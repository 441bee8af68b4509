import { addBilling, type TokenBilling } from '#libs/events';
import { monotonicMs, ownTurn, truncateText, type Json } from '#libs/kernel';
import type { AgentNode, FanInNode, PromptNode } from '#libs/language';
import { ModelError, type ModelAnswer, type ModelClient, type ModelMessage } from '../ports/model.js';
import type { Briefing } from '../preamble/briefing.js';
import { itemPrompt } from '../preamble/item-prompt.js';
import { preambleOf } from '../preamble/preamble.js';
import { errored, failed, type AttemptResult, type Expense } from '../stage/outcome.js';
import { correctionText, outputContract, type OutputContract } from '../structured-output/output-contract.js';
import type { Reading } from '../structured-output/reading.js';
import { lenientRouting } from '../structured-output/routing.js';
import type { StageTask } from './stage-handler.js';

type AskingNode = AgentNode | PromptNode | FanInNode;
export type AskingTask = Omit<StageTask, 'node'> & { node: AskingNode };

/** The first characters of an answer that later stages find under `last_response`. */
const LAST_RESPONSE_BYTES = 200;

/** Reading or holding a longer text takes its time and its memory. */
const LONG_TEXT = 256 * 1024;
/** No model reads nearly as much; answers that are corrected again and again would fill the memory. */
const MAX_CONVERSATION = 16 * 1024 * 1024;
/** A message, its event and what is sent of it. */
const COPIES_ASKED = 4;
/** What a character of an answer may take that is JSON of very small members. */
const BYTES_A_READ_CHARACTER = 16;

/** How a kind of node tells what happens between it and the model. */
export interface ModelListener {
  mode: 'agent' | 'prompt';
  answered(answer: ModelAnswer): void;
}

/**
 * Asks a model once, and again in the same conversation while its answer does not fit what the node wants, as often as
 * the node allows. Every call is paid for, whatever becomes of it.
 */
export class AskModel {
  private readonly messages: ModelMessage[] = [];
  private billing: TokenBilling | undefined;
  private inferenceTimeMs = 0;

  constructor(
    private readonly client: ModelClient,
    private readonly task: AskingTask,
    private readonly telling: ModelListener,
  ) {}

  async run(): Promise<AttemptResult> {
    const { task } = this;
    const { node } = task;
    if (task.dryRun) return { kind: 'outcome', outcome: simulated(node.id) };
    const schema = 'outputSchema' in node ? node.outputSchema : undefined;
    const contract = schema === undefined ? undefined : outputContract(schema, node.id);
    try {
      const result = await this.converse(contract);
      return { ...result, ...this.expense };
    } catch (thrown) {
      if (!(thrown instanceof ModelError) || task.signal.aborted) throw thrown;
      const failure = { message: thrown.message, category: thrown.category };
      const result = thrown.retryable ? errored(failure, true) : failed(failure);
      return { ...result, ...this.expense };
    }
  }

  private async converse(contract: OutputContract | undefined): Promise<AttemptResult> {
    const { node } = this.task;
    const retries = 'outputRetries' in node ? Math.max(0, node.outputRetries) : 0;
    const thread = this.thread;
    const earlier = thread === undefined ? undefined : this.task.threads.get(thread);
    this.messages.push(...(earlier ?? []), { role: 'user', text: this.firstMessage(contract, earlier !== undefined) });
    for (let turn = 0; ; turn++) {
      const length = this.messages.reduce((sum, { text }) => sum + text.length, 0);
      if (length > MAX_CONVERSATION) return tooLong(node, length);
      if (length > LONG_TEXT) await this.task.reserve(COPIES_ASKED * length);
      const text = await this.ask(contract);
      if (text.length > LONG_TEXT) await this.task.reserve(BYTES_A_READ_CHARACTER * text.length);
      if (text.length > LONG_TEXT) await ownTurn();
      const reading: Reading = contract?.read(text) ?? {
        ok: true,
        report: lenientRouting(text) ?? { status: 'succeeded' },
      };
      if (reading.ok && thread !== undefined) this.task.threads.set(thread, [...this.messages]);
      if (reading.ok) return { kind: 'outcome', outcome: { ...told(node, text), ...withUpdates(node, text, reading) } };
      if (turn >= retries) {
        const message = `output schema validation failed after ${retries} repair attempt(s)`;
        return failed({ message, category: 'deterministic', causes: reading.issues }, told(node, text));
      }
      this.messages.push({ role: 'user', text: correctionText(contract!, reading.issues) });
    }
  }

  /** The conversation that is gone on with: that of the node's thread with the same model, under full fidelity. */
  private get thread(): string | undefined {
    const { node, briefing } = this.task;
    if (this.telling.mode !== 'agent' || briefing?.fidelity !== 'full' || briefing.threadId === null) return undefined;
    return JSON.stringify([briefing.threadId, node.provider, node.model]);
  }

  private firstMessage(contract: OutputContract | undefined, isContinued: boolean): string {
    const { node, briefing, item } = this.task;
    const asked = promptOf(node);
    const prompt = item ? itemPrompt(asked, item.value) : asked;
    const preamble = briefing ? preambleOf(isContinued ? briefing : withoutConversation(briefing)) : '';
    return [preamble, prompt, contract?.expectation ?? ''].filter((part) => part !== '').join('\n\n');
  }

  private async ask(contract: OutputContract | undefined): Promise<string> {
    const { node, stage, say, show, alive, signal } = this.task;
    const model = { provider: node.provider ?? '', model_id: node.model ?? '' };
    const text = this.messages.at(-1)!.text;
    const visit = stage.execution;
    say({
      event: 'stage.prompt',
      properties: { visit, text, mode: this.telling.mode, provider: model.provider, model: model.model_id },
    });
    say({ event: 'agent.llm.started', properties: { visit, requested_model: model } });
    let shown = 0;
    const began = monotonicMs();
    try {
      const answer = await this.client.generate(
        {
          provider: model.provider,
          model: model.model_id,
          messages: this.messages,
          ...(node.maxTokens !== undefined && { maxTokens: node.maxTokens }),
          ...(node.reasoningEffort !== undefined && { reasoningEffort: node.reasoningEffort }),
          ...(node.speed !== undefined && { speed: node.speed }),
          ...(contract && { format: formatOf(contract), strictFormat: this.telling.mode === 'prompt' }),
        },
        {
          signal,
          onText: (piece) => {
            alive();
            if (shown === 0) say({ event: 'agent.llm.first_output', properties: { visit, kind: 'text' } });
            show(piece, shown);
            shown += piece.length;
          },
        },
      );
      this.messages.push({ role: 'assistant', text: answer.text });
      this.billing = this.billing ? addBilling(this.billing, answer.usage) : answer.usage;
      this.telling.answered(answer);
      return answer.text;
    } finally {
      this.inferenceTimeMs += Math.round(monotonicMs() - began);
    }
  }

  private get expense(): Expense {
    return { inferenceTimeMs: this.inferenceTimeMs, ...(this.billing && { billing: this.billing }) };
  }
}

/** What full fidelity falls back to where no conversation is at hand: a first stage, a prompt, another worker. */
function withoutConversation(briefing: Briefing): Briefing {
  return briefing.fidelity === 'full' ? { ...briefing, fidelity: 'summary:high' } : briefing;
}

function tooLong({ id }: AskingNode, length: number): AttemptResult {
  const message = `The conversation of node "${id}" with its model has ${length} characters; at most ${MAX_CONVERSATION} are sent.`;
  return failed({ message, category: 'deterministic' });
}

function promptOf(node: AskingNode): string {
  return node.prompt ?? node.label;
}

function formatOf({ jsonSchema }: OutputContract): 'json' | { schema: NonNullable<OutputContract['jsonSchema']> } {
  return jsonSchema ? { schema: jsonSchema } : 'json';
}

/** What later stages are told of every answer. */
function told({ id }: AskingNode, text: string): { notes: string; contextUpdates: Record<string, Json> } {
  return {
    notes: `Stage completed: ${id}`,
    contextUpdates: {
      last_stage: id,
      last_response: truncateText(text, LAST_RESPONSE_BYTES),
      [`response.${id}`]: text,
    },
  };
}

function withUpdates(node: AskingNode, text: string, { report }: Extract<Reading, { ok: true }>): typeof report {
  return { ...report, contextUpdates: { ...told(node, text).contextUpdates, ...report.contextUpdates } };
}

function simulated(id: string): { status: 'succeeded'; notes: string; contextUpdates: Record<string, Json> } {
  const text = `[Simulated] Response for stage: ${id}`;
  return {
    status: 'succeeded',
    notes: `[Simulated] ${id}`,
    contextUpdates: { last_stage: id, last_response: text, [`response.${id}`]: text },
  };
}
