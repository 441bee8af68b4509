import { describe, expect, it } from '@jest/globals';
import type { Fidelity } from '#libs/language';
import { aDefinition } from '../../../../test/support/a-run.js';
import type { HistoryEntry } from '../state/state.js';
import type { Briefing } from './briefing.js';
import { preambleOf } from './preamble.js';

// start -> build -> test -> exit
const definition = aDefinition('build [script="make"] start -> build -> test -> exit');
const done = (node: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  node,
  stageId: `${node}@1`,
  status: 'succeeded',
  ...more,
});

const tell = (fidelity: Fidelity, more: Partial<Briefing> = {}): string =>
  preambleOf({
    fidelity,
    threadId: null,
    goal: 'Ship it',
    runId: 'R1',
    kept: {},
    history: [
      done('start'),
      done('build', { notes: 'Script completed: make' }),
      done('test', { status: 'failed', reason: 'exit 1' }),
    ],
    context: [
      ['zeta', 1],
      ['alpha', 'first'],
      ['command.output', 'ok'],
      ['empty', ''],
      ['response.plan', 'long ago'],
      ['internal.x', 1],
      ['outcome', 'failed'],
    ],
    nodeCount: 2,
    nodeOf: (id) => definition.node(id),
    ...more,
  });

describe('a preamble', () => {
  it('is empty where the conversation holds everything', () => {
    expect(tell('full')).toBe('');
  });

  it('may be the goal and the run alone', () => {
    expect(tell('truncate')).toBe('Goal: Ship it\nRun ID: R1');
    expect(tell('truncate', { goal: '' })).toBe('Run ID: R1');
  });

  it('is compact by default: what was done, and the context in order, without what is nobody’s business', () => {
    expect(tell('compact')).toBe(`Goal: Ship it

## Completed stages
- **build**: succeeded
  Script completed: make
- **test**: failed
  exit 1

## Context
- alpha: first
- command.output: ok
- zeta: 1`);
  });

  it.each([
    ['summary:low', 2],
    ['summary:medium', 5],
  ] as const)('as a %s names the last %d stages', (fidelity, count) => {
    const history = [done('start'), ...Array.from({ length: 7 }, (_, n) => done(`s${n}`))];
    const text = tell(fidelity, { history });
    expect(text.match(/\*\*s\d\*\*/g)).toHaveLength(count);
    expect(text).toContain('Completed 8 stage(s) so far.');
    expect(text).toContain(`(${7 - count} earlier stage(s) omitted)`);
    expect(text.includes('## Context')).toBe(fidelity === 'summary:medium');
  });

  it('as a high summary has a section for every stage and a table of the context', () => {
    const text = tell('summary:high');
    expect(text).toContain('Pipeline progress: 2 of 2 stages completed');
    expect(text).toContain('## Stage: build\n\nStatus: succeeded\nScript: make\n\n> Script completed: make');
    expect(text).toContain('Failure: exit 1');
    expect(text).toContain('| key | value |\n| --- | --- |\n| alpha | first |');
    expect(text).not.toContain('## Stage: start');
  });

  it('counts a node once in the progress, and those of a workflow around it in the whole', () => {
    const history = [done('start'), done('build'), done('build'), done('test')];
    expect(tell('summary:high', { history, nodeCount: 5 })).toContain('Pipeline progress: 2 of 5 stages completed');
    expect(tell('summary:high', { history, nodeCount: 1 })).toContain('Pipeline progress: 2 of 2 stages completed');
  });

  it('shows the end of what the last command printed under its stage, and nowhere else', () => {
    const output = Array.from({ length: 60 }, (_, n) => `line ${n}`).join('\n');
    const history = [
      done('build', { hasOutput: true }),
      done('test', { hasOutput: true, status: 'failed', reason: 'exit 1\n\n## output\nline 0' }),
    ];
    const more = { history, context: [['command.output', output]] } as const;
    expect(tell('compact', more)).toMatch(
      /- \*\*build\*\*: succeeded\n- \*\*test\*\*: failed\n {2}exit 1\n {2}Output:\n {4}\(35 lines omitted\)\n {4}line 35\n[^]*line 59$/,
    );
    expect(tell('summary:medium', more)).toContain('(35 lines omitted)');
    expect(tell('summary:high', more)).toMatch(/Output:\n {2}\(10 lines omitted\)\n {2}line 10\n[^]*line 59$/);
    expect(tell('summary:low', more)).toContain('  exit 1\n\n  ## output\n  line 0');
  });

  it('keeps the output of a command that is not shown among the context', () => {
    const history = [done('build', { hasOutput: true }), ...Array.from({ length: 5 }, (_, n) => done(`s${n}`))];
    expect(tell('summary:medium', { history })).toContain('- command.output: ok');
  });

  it('as a high summary quotes what models answered, once for each node', () => {
    const history = [done('plan', { notes: 'Planned' }), done('plan')];
    const context = [['response.plan', 'First\nthen']] as const;
    expect(tell('summary:high', { history, context }).split('## Stage: plan').slice(1)).toEqual([
      '\n\nStatus: succeeded\n\n> Planned\n\n',
      '\n\nStatus: succeeded\n\n> First\n> then',
    ]);
    expect(tell('compact', { history, context })).not.toContain('First');
  });

  it('keeps the cells of its table apart', () => {
    expect(tell('summary:high', { context: [['x', 'a | b\nc']] })).toContain('| x | a \\| b c |');
  });

  it('shows what branches report part by part', () => {
    const of = (text: string) => ({ status: 'succeeded', context_updates: { text } });
    const results = [of('short'), of('x'.repeat(20_000)), of('y'.repeat(8_000))];
    const text = tell('compact', { history: [], context: [['parallel.results', results]] });
    expect(text).toContain('"text":"short"');
    expect(text).toContain('"text":"(20000 bytes) xxx');
    expect(text).toContain('y'.repeat(8_000));
  });

  it('shows the beginning of a large value only', () => {
    const text = tell('compact', { history: [], context: [['big', 'x'.repeat(20_000)]] });
    expect(text).toContain('- big: (20000 bytes) xxx');
    expect(text.length).toBeLessThan(500);
  });

  it('has no empty sections', () => {
    expect(tell('compact', { goal: '', history: [], context: [] })).toBe('');
  });
});
