import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import type { EventEnvelope } from '#libs/api-client';
import { aCommand, aLog, RUN_ID } from '../../../../test/support/cli/samples.js';
import { eventLines } from './event-lines.js';
import { advance, atFirst } from './progress.js';
import { seenEvent } from './seen-event.js';

const paint = pc.createColors(false);

/** All lines of a log, as they stand in a pipe. */
function shown(events: Partial<EventEnvelope>[], { verbose = false, width = 80 } = {}): string[] {
  let progress = atFirst;
  return aLog(...events).flatMap((envelope) => {
    const lines = eventLines(progress, envelope, { paint, width, verbose });
    const event = seenEvent(envelope);
    if (event) progress = advance(progress, event);
    return lines;
  });
}

const created = { event: 'run.created', properties: { title: 'Ship it', workflow: { slug: 'ship', graph_name: 'S' } } };
const completed = { event: 'run.completed', properties: { timing: { wall_time_ms: 252_000 }, reason: 'completed' } };

describe('a run', () => {
  it('is one line for its birth, one a stage, one for its end', () => {
    expect(shown([created, ...aCommand('check', 'a\n3 links are good\n'), completed])).toEqual([
      `● ${RUN_ID}  ship  Ship it`,
      '✓ check        command       0.4s  3 links are good',
      '✓ succeeded  4m12s',
    ]);
  });

  it('shows what it cost, when somebody knows', () => {
    const billing = { total_usd_micros: 410_000 };
    expect(shown([{ ...completed, properties: { ...completed.properties, billing } }])).toEqual([
      '✓ succeeded  $0.41  4m12s',
    ]);
  });

  it('that failed says why, by the first line of each cause', () => {
    const detail = { message: 'stage b failed with no outgoing fail edge', causes: ['exit 4\n\n## output\nlong'] };
    const properties = { failure: { reason: 'workflow_error', detail }, timing: { wall_time_ms: 900 } };
    expect(shown([{ event: 'run.failed', properties }])).toEqual([
      '✗ failed: workflow_error  0.9s',
      '  stage b failed with no outgoing fail edge',
      '  exit 4',
    ]);
  });

  it('that failed says a cause once, if there was room for it', () => {
    const detail = { message: 'stage b failed: exit 4: 2 tests failed', causes: ['exit 4', 'exit 5'] };
    const properties = { failure: { reason: 'workflow_error', detail }, timing: { wall_time_ms: 900 } };
    expect(shown([{ event: 'run.failed', properties }])).toEqual([
      '✗ failed: workflow_error  0.9s',
      '  stage b failed: exit 4: 2 tests failed',
      '  exit 5',
    ]);
  });

  it('that was cancelled is no failure of the workflow', () => {
    const failure = { reason: 'cancelled', detail: { message: 'The run was cancelled.' } };
    expect(shown([{ event: 'run.failed', properties: { failure, timing: { wall_time_ms: 900 } } }])).toEqual([
      '■ cancelled  0.9s',
    ]);
  });

  it('says that a pause was asked for, long before it comes', () => {
    expect(shown([{ event: 'run.pause.requested', properties: { action: 'pause' } }])).toEqual([
      '■ pause asked for: at the end of what runs now',
    ]);
  });

  it('shows notices, and that another worker took it over', () => {
    const notice = { event: 'run.notice', properties: { level: 'info', message: 'Commands run as you.' } };
    expect(shown([notice, { event: 'run.claimed', properties: { epoch: 1 } }])).toEqual(['! Commands run as you.']);
    expect(shown([{ event: 'run.claimed', properties: { epoch: 2 } }])).toHaveLength(1);
  });
});

describe('a hook', () => {
  it.each([
    ['that proceeds is not shown', { decision: 'proceed' }, []],
    ['that decides says why', { decision: 'skip', reason: 'cached' }, ['◆ stage_start hook guard: skip: cached']],
    ['that leads elsewhere is shown', { decision: 'override' }, ['◆ stage_start hook guard: override']],
  ])('%s', (_, properties, lines) => {
    const named = { hook_name: 'guard', point: 'stage_start' };
    expect(shown([{ event: 'hook.completed', properties: { ...named, ...properties } }])).toEqual(lines);
  });

  it('that does not work is shown', () => {
    const properties = { hook_name: 'guard', point: 'stage_start', decision: 'proceed', error: 'connect ECONNREFUSED' };
    expect(shown([{ event: 'hook.failed', properties }])).toEqual(['! stage_start hook guard: connect ECONNREFUSED']);
  });
});

describe('a stage', () => {
  it('that failed shows the end of what it wrote', () => {
    const output = Array.from({ length: 14 }, (_, line) => `line ${line + 1}`).join('\n');
    const lines = shown(aCommand('test', output, 3));
    expect(lines.slice(0, 3)).toEqual([
      '✗ test         command       0.4s  exit 3',
      '    … 2 lines before',
      '    line 3',
    ]);
    expect(lines.at(-1)).toBe('    line 14');
  });

  it.each([
    [137, 'exit 137 (SIGKILL)'],
    [143, 'exit 143 (SIGTERM)'],
    [200, 'exit 200'],
    [undefined, 'ended by a signal'],
  ])('whose command ended with %s says %s', (exit_code, detail) => {
    const [started, ended, failed] = aCommand('test', '', 1);
    const properties = { output: '', termination: 'exited', ...(exit_code !== undefined && { exit_code }) };
    expect(shown([started!, { ...ended, properties }, failed!])).toEqual([
      `✗ test         command       0.4s  ${detail}`,
    ]);
  });

  it('that failed although its command or model did well says why', () => {
    const [started, ended] = aCommand('plan', '["a"]');
    const scope = { node_id: 'plan', stage_id: 'plan@1' };
    const failure = { message: 'output schema validation failed: no JSON object found' };
    const properties = { timing: { wall_time_ms: 400 }, failure, will_retry: false };
    const failed = { event: 'stage.failed', ...scope, properties };
    const row = '✗ plan         command       0.4s  output schema validation failed: no JSON object found';
    expect(shown([started!, ended!, failed], { width: 100 })).toEqual([row]);
    const answered = { event: 'prompt.completed', ...scope, properties: { response: 'No.' } };
    expect(shown([started!, answered, failed], { width: 100 })).toEqual([row]);
  });

  it('of several attempts took all of their time, with the waits between them', () => {
    const scope = { node_id: 'flaky', stage_id: 'flaky@1' };
    const at = (seconds: number) => ({ ts: `2026-01-02T03:04:${String(seconds).padStart(2, '0')}.000Z` });
    const [started, ended, completed] = aCommand('flaky', 'fine');
    const properties = { failure: { message: 'exit 1' }, timing: { wall_time_ms: 400 }, will_retry: true };
    const lines = shown([
      { ...started, ...at(1) },
      { event: 'stage.failed', ...scope, ...at(2), properties },
      { ...started, ...at(7) },
      { ...ended, ...at(8) },
      { ...completed, ...at(9) },
    ]);
    expect(lines).toEqual(['✓ flaky        command       8.0s  fine']);
  });

  it('that was copied from another run took no time of this one', () => {
    const origin = { run_id: '01K2ZP6Q8V9Y3T5N7M1R4S6X8C', seq: 7 };
    const copies = [...aCommand('check', '3 links are good'), ...aCommand('test', 'oh', 1)];
    expect(shown(copies.map((event) => ({ ...event, origin })))).toEqual([
      '= check        command             copied: 3 links are good',
      '= test         command             copied: failed',
    ]);
  });

  it('that chose where to go on says why, below its own line', () => {
    const edge = { from_node: 'check', to_node: 'repair', reason: 'condition', condition: 'outcome=failed' };
    const routed = { event: 'edge.selected', node_id: 'check', stage_id: 'check@1', properties: edge };
    expect(shown([...aCommand('check', ''), routed])).toEqual([
      '✓ check        command       0.4s',
      '  → repair  (outcome=failed)',
    ]);
    const onlyWay = { ...routed, properties: { ...edge, reason: 'unconditional', condition: undefined } };
    expect(shown([...aCommand('check', ''), onlyWay])).toHaveLength(1);
  });

  it.each([
    ['prompt', { event: 'prompt.completed', properties: { response: 'Ship it.\nAll is well.' } }],
    ['agent', { event: 'agent.message', properties: { text: 'Ship it.\nAll is well.' } }],
  ])('of a %s shows the answer', (handler, answered) => {
    const scope = { node_id: 'judge', stage_id: 'judge@1' };
    const [started, , completed] = aCommand('judge', '');
    const lines = shown([{ ...started, properties: { handler_type: handler } }, { ...scope, ...answered }, completed!]);
    expect(lines).toEqual([`✓ judge        ${handler.padEnd(11)}   0.4s  Ship it. All is well.`]);
  });

  it.each([
    ['parallel.fan_in', 'fan-in'],
    ['stack.manager_loop', 'manager'],
    ['something.longer', 'something.…'],
  ])('of a kind with a long name, %s, keeps the columns', (handler, name) => {
    const [started, , completed] = aCommand('join', '');
    const lines = shown([{ ...started, properties: { handler_type: handler } }, completed!]);
    expect(lines).toEqual([`✓ join         ${name.padEnd(11)}   0.4s`]);
  });

  it('that is tried again says when and why', () => {
    const scope = { node_id: 'flaky', stage_id: 'flaky@1' };
    const failure = { message: 'Script timed out after 1000ms: sleep 5' };
    const lines = shown([
      { event: 'stage.started', ...scope, properties: { handler_type: 'command', attempt: 1, max_attempts: 3 } },
      { event: 'stage.failed', ...scope, properties: { failure, will_retry: true, timing: { wall_time_ms: 1_000 } } },
      { event: 'stage.retrying', ...scope, properties: { attempt: 2, max_attempts: 3, delay_ms: 400 } },
    ]);
    expect(lines).toEqual(['↻ flaky        command             attempt 2 of 3 in 0.4s: Script timed out aft…']);
  });

  it('that has attempts left and is not tried again says why', () => {
    const scope = { node_id: 'flaky', stage_id: 'flaky@1' };
    const failure = { message: 'Script failed with exit code: 1', exec_output_tail: { stdout: 'no\n' } };
    const failed = { failure, will_retry: false, timing: { wall_time_ms: 400 } };
    const lines = shown([
      { event: 'stage.started', ...scope, properties: { handler_type: 'command', attempt: 1, max_attempts: 3 } },
      { event: 'stage.failed', ...scope, properties: { ...failed, no_retry_reason: 'exit codes are final' } },
    ]);
    expect(lines.slice(1)).toEqual(['    no', '    not tried again: exit codes are final']);
  });

  it('of a for_each says which item it worked on', () => {
    const place = { parallel_branch_id: 'fork@1:1', stage_id: 'count@2', node_id: 'count' };
    const label = { index: 1, item_label: 'docs/a-long-name-of-a-page.md\u001b[2J' };
    expect(
      shown([
        { ...place, event: 'parallel.branch.started', properties: label },
        { ...place, event: 'stage.started', properties: { handler_type: 'prompt', attempt: 1, max_attempts: 1 } },
        { ...place, event: 'stage.completed', properties: { status: 'succeeded', timing: { wall_time_ms: 500 } } },
      ]),
    ).toEqual(['✓ count[docs/a-long-name-of-a-p…] prompt        0.5s']);
  });

  it('that joins branches says how many of them failed', () => {
    const scope = { node_id: 'joined', stage_id: 'joined@1' };
    const notes = 'Joined 3 parallel branches: 1 of 3 failed (flaky)';
    const lines = shown(
      [
        {
          event: 'stage.started',
          ...scope,
          properties: { handler_type: 'parallel.fan_in', attempt: 1, max_attempts: 1 },
        },
        {
          event: 'stage.completed',
          ...scope,
          properties: { status: 'partially_succeeded', notes, timing: { wall_time_ms: 0 } },
        },
      ],
      { width: 120 },
    );
    expect(lines).toEqual([`◐ joined       fan-in        0.0s  ${notes}`]);
  });

  it('that decides shows the edge it chose', () => {
    const scope = { node_id: 'ok', stage_id: 'ok@1' };
    const edge = { from_node: 'ok', to_node: 'report', condition: 'outcome=succeeded' };
    const lines = shown([
      { event: 'stage.started', ...scope, properties: { handler_type: 'conditional' } },
      { event: 'stage.completed', ...scope, properties: { status: 'succeeded', timing: { wall_time_ms: 0 } } },
      { event: 'edge.selected', ...scope, properties: edge },
    ]);
    expect(lines).toEqual(['◆ ok           conditional         → report (outcome=succeeded)']);
  });

  it('whose start was not seen still has its line', () => {
    expect(shown(aCommand('late', '').slice(2))).toEqual(['✓ late                       0.4s']);
  });

  it('cannot write to the terminal through its output', () => {
    const [line] = shown(aCommand('sly', '\u001b[2J\u001b]0;title\u0007done\u0008\u009b1m!'));
    expect(line).toBe('✓ sly          command       0.4s  done!');
  });
});

it('shows every event when it is asked to, also one it does not know', () => {
  const lines = shown([{ event: 'llama.fed', node_id: 'farm', properties: { hay: 2 } }], { verbose: true });
  expect(lines).toEqual(['  1 03:04:05.000 llama.fed farm {"hay":2}']);
});
