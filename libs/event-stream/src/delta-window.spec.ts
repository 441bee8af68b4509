import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { TextDelta } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';
import { DeltaWindow } from './delta-window.js';

const said = (offset: number, text: string, stageId = 'ask@1'): TextDelta => ({
  source: 'model',
  ...{ tenantId: 'acme' as TenantId, runId: 'run' as RunId, nodeId: 'ask', nodeLabel: 'Ask', visit: 1 },
  ...{ stageId, offset, text },
});

describe('the window of text', () => {
  let passed: TextDelta[];
  let window: DeltaWindow;
  beforeEach(() => {
    jest.useFakeTimers();
    passed = [];
    window = new DeltaWindow((deltas) => passed.push(...deltas));
  });
  afterEach(() => void jest.useRealTimers());

  it('passes what follows each other within 50 ms as one piece, each stage for itself', () => {
    window.add(said(0, 'Good '));
    window.add(said(0, 'No', 'other@1'));
    window.add(said(5, 'morning'));
    jest.advanceTimersByTime(49);
    expect(passed).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(passed).toEqual([said(0, 'Good morning'), said(0, 'No', 'other@1')]);
  });

  it('joins no answers, and no pieces with a gap between them', () => {
    const pieces = [said(0, 'ab'), said(3, 'd'), said(0, 'A new answer')];
    for (const piece of pieces) window.add(piece);
    jest.advanceTimersByTime(50);
    expect(passed).toEqual(pieces);
  });

  it('cuts what is long, and loses nothing of it', () => {
    const text = 'abcdefghij'.repeat(250);
    window.add(said(0, text));
    window.add(said(2_500, '!'));
    jest.advanceTimersByTime(50);
    expect(passed.map(({ offset }) => offset)).toEqual([0, 1_000, 2_000]);
    expect(passed.map((piece) => piece.text).join('')).toBe(`${text}!`);
  });

  it('drops what is more than 64 Ki characters, and says so by the offset of the next piece', () => {
    window.add(said(0, 'x'.repeat(100_000)));
    jest.advanceTimersByTime(50);
    window.add(said(100_000, 'y'));
    jest.advanceTimersByTime(50);
    const { offset, text } = passed.at(-2)!;
    expect(offset + text.length).toBe(66_000);
    expect(passed.at(-1)).toEqual(said(100_000, 'y'));
    expect(jest.getTimerCount()).toBe(0);
  });
});
