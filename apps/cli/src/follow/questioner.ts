import { RunyardApiError, type RunyardClient } from '#libs/api-client';
import { type GivenAnswer, type Question, sendAnswer } from '../questions/open-questions.js';
import { questionLines } from '../questions/question-lines.js';
import { readAnswer, waysToAnswer } from '../questions/read-answer.js';
import type { Screen } from '../terminal/screen.js';
import type { Terminal } from '../terminal/input-line.js';
import type { Display } from './display.js';

interface Interview {
  client: RunyardClient;
  runId: string;
  screen: Screen;
  display: Display;
  terminal: Terminal;
  /** Ends an answer that is being sent. */
  signal: AbortSignal;
  /** Called when nobody is asked any more: the person left, or an answer could not be sent. */
  leave: () => void;
}

/** Puts the questions of a followed run to the person at the terminal, one after another, while the run goes on. */
export class Questioner {
  private readonly open: Question[] = [];
  private asking: Promise<void> | undefined;

  constructor(private readonly interview: Interview) {}

  ask(question: Question): void {
    this.open.push(question);
    if (this.asking) return;
    this.asking = this.askAll();
    this.asking.catch(this.interview.leave);
  }

  /** The question is closed, by whomever; it is not put any more. */
  close(questionId: string): void {
    const at = this.open.findIndex(({ id }) => id === questionId);
    if (at === -1) return;
    this.open.splice(at, 1);
    if (at === 0) this.interview.display.withdraw();
  }

  /** Asks no more. Throws why an answer could not be sent, if that is why. */
  async end(): Promise<void> {
    this.open.length = 0;
    this.interview.display.withdraw();
    await this.asking;
  }

  private async askAll(): Promise<void> {
    for (let question = this.open[0]; question; question = this.open[0]) {
      const { display, screen } = this.interview;
      display.print(questionLines(question, screen));
      await this.put(question);
    }
    this.asking = undefined;
  }

  /** Asks until the question is closed or the person leaves. */
  private async put(question: Question): Promise<void> {
    const { display, terminal, leave } = this.interview;
    while (this.open[0] === question) {
      const typed = await display.read(terminal);
      if (this.open[0] !== question) return;
      if (typed === undefined) {
        this.open.length = 0;
        leave();
        return;
      }
      const answer = readAnswer(question, typed);
      if (answer) await this.send(question, answer);
      else display.print([`  Type ${waysToAnswer(question)}.`]);
    }
  }

  /** An answer that the server does not take leaves the question open; one that came too late closes it. */
  private async send(question: Question, answer: GivenAnswer): Promise<void> {
    const { client, runId, display, signal } = this.interview;
    try {
      await sendAnswer(client, { runId, question }, answer, signal);
    } catch (thrown) {
      if (!(thrown instanceof RunyardApiError) || (thrown.status !== 400 && thrown.status !== 409)) throw thrown;
      display.print([`  ${thrown.detail}`]);
      if (thrown.status === 400) return;
    }
    this.close(question.id);
  }
}
