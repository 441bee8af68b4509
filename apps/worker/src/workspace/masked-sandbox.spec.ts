import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandEnd } from '#libs/engine';
import type { AttemptId } from '#libs/kernel';
import { ended, ScriptedSandbox } from '../../../../test/support/scripted-sandbox.js';
import { MaskedSandbox } from './masked-sandbox.js';

const TOKEN = `service_worker_${'a1'.repeat(32)}`;
const MASKED = `service_worker_${'REDACTED'.padEnd(64, '*')}`;
const signal = new AbortController().signal;

describe('what comes out of a sandbox', () => {
  let inner: ScriptedSandbox;
  beforeEach(() => void (inner = new ScriptedSandbox()));

  function outputOf(text: string): Promise<CommandEnd> {
    inner.next = ended(text);
    const command = { attemptId: 'a' as AttemptId, script: 'x', language: 'shell' as const, timeoutMs: 1 };
    return new MaskedSandbox(inner).run(command, { signal });
  }

  it('has no token in it, and keeps its length', async () => {
    const { output } = await outputOf(`ä ${TOKEN}\n`);
    expect(Buffer.from(await output.read()).toString()).toBe(`ä ${MASKED}\n`);
    expect(output.bytes).toBe(Buffer.byteLength(`ä ${TOKEN}\n`));
  });

  it.each([1, 10, 64, 70, 79, 80])('has none at the front of its last %d bytes either', async (bytes) => {
    const { output } = await outputOf(`before ${TOKEN}`);
    expect(await output.tail(bytes)).toBe(`before ${MASKED}`.slice(-bytes));
  });

  it('begins its tail with a whole character', async () => {
    const { output } = await outputOf(`${'x'.repeat(200)}ä😀b`);
    expect(await Promise.all([1, 2, 5, 6, 7].map((bytes) => output.tail(bytes)))).toEqual([
      'b',
      'b',
      '😀b',
      '😀b',
      'ä😀b',
    ]);
  });

  it('is shown without tokens while it comes, to the last character', async () => {
    let shown = '';
    inner.next = ended('');
    const command = { attemptId: 'a' as AttemptId, script: 'x', language: 'shell' as const, timeoutMs: 1 };
    inner.printed = [TOKEN.slice(0, 30), `${TOKEN.slice(30)} an`, 'd mores'];
    await new MaskedSandbox(inner).run(command, { signal, onOutput: (text) => (shown += text) });
    expect(shown).toBe(`${MASKED} and mores`);
  });
});
