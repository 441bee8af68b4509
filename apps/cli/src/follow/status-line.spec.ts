import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { aCommand, aLog } from '../../../../test/support/cli/samples.js';
import { advance, atFirst, hear, type Progress } from './progress.js';
import { seenEvent, type SeenEvent } from './seen-event.js';
import { statusLine } from './status-line.js';

const START = Date.parse('2026-01-02T03:04:05.000Z');
const at = (progress: Progress, ms: number, width = 80): string =>
  statusLine(progress, '*', START + ms, width, pc.createColors(false));

function after(...events: Parameters<typeof aLog>): Progress {
  return aLog(...events)
    .map(seenEvent)
    .filter((event): event is SeenEvent => event !== undefined)
    .reduce(advance, atFirst);
}

it('names what the run waits for while no stage is open', () => {
  expect(at(after({ event: 'run.runnable' }), 0)).toBe('* waiting for a slot');
});

it('shows how long the open stage has taken, and nothing wider than the terminal', () => {
  const progress = after(...aCommand('compile', '').slice(0, 1));
  expect(at(progress, 61_000)).toBe('* compile 1m01s');
  expect(at(progress, 61_000, 12)).toBe('* compile …');
});

describe('what a model says', () => {
  const scope = { node_id: 'think', stage_id: 'think@1' };
  const started = { event: 'stage.started', ...scope, properties: { handler_type: 'prompt' } };
  const says = (progress: Progress, offset: number, delta: string): Progress =>
    hear(progress, { event: 'agent.llm.delta', run_id: 'R', ...scope, properties: { offset, delta } });

  it('is seen behind the stage that asked it, its end where it is long, from the beginning of each answer', () => {
    const spoken = says(says(after(started), 0, 'The quick\n brown'), 16, ' fox jumps');
    expect(at(spoken, 5_000)).toBe('* think 5.0s  The quick brown fox jumps');
    expect(at(spoken, 5_000, 30)).toBe('* think 5.0s  …rown fox jumps');
    expect(at(says(spoken, 0, 'Again'), 5_000)).toBe('* think 5.0s  Again');
  });

  it('gives way where there is no room, and where more stages are open', () => {
    const spoken = says(after(started), 0, 'The quick brown fox');
    expect(at(spoken, 5_000, 20)).toBe('* think 5.0s');
    const other = { ...started, node_id: 'more', stage_id: 'more@1' };
    expect(at(says(after(started, other), 0, 'Hm'), 5_000)).toBe('* think 5.0s more 5.0s');
  });

  it('is over with its stage, or with an attempt that is made again', () => {
    const failed = seenEvent(
      aLog({ event: 'stage.failed', ...scope, properties: { will_retry: true, failure: {} } })[0]!,
    );
    expect(at(advance(says(after(started), 0, 'Hm'), failed!), 5_000)).toBe('* think 5.0s');
    expect(says(atFirst, 0, 'Hm')).toEqual(atFirst);
  });

  it('cannot steer the terminal', () => {
    expect(at(says(after(started), 0, 'a\u001b[2Jb\u0007'), 0)).toBe('* think 0.0s  ab');
  });
});

it('shows the last line that a command printed, from its beginning', () => {
  const [started = {}] = aCommand('build', '');
  const printed = hear(after(started), {
    event: 'command.output.delta',
    ...{ run_id: 'R', node_id: 'build', stage_id: 'build@1' },
    properties: { offset: 0, delta: 'compiling a.c\ncompiling a_long_name.c\n' },
  });
  expect(at(printed, 5_000)).toBe('* build 5.0s  compiling a_long_name.c');
  expect(at(printed, 5_000, 30)).toBe('* build 5.0s  compiling a_lo…');
});

it('counts down while a stage waits', () => {
  const [started = {}] = aCommand('settle', '');
  const until = new Date(START + 3_000).toISOString();
  const progress = after(started, { event: 'stage.waiting', stage_id: 'settle@1', properties: { until } });
  expect(at(progress, 1_000)).toBe('* settle goes on in 2.0s');
});

it('says what a stage asks until somebody answers', () => {
  const scope = { node_id: 'gate', stage_id: 'gate@1' };
  const started = { event: 'stage.started', ...scope, properties: { handler_type: 'human' } };
  const asked = { event: 'interview.started', ...scope, properties: { question_id: 'q', question: 'Ship it?' } };
  const closed = { event: 'interview.timeout', ...scope, properties: { question_id: 'q' } };
  expect(at(after(started, asked), 5_000)).toBe('* gate asks: Ship it?');
  expect(at(after(started, asked, closed), 5_000)).toBe('* gate 5.0s');
});
