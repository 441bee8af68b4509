import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RunyardError } from '#libs/kernel';
import { aRun, OTHER_RUN_ID, RUN_ID } from '../../../../../test/support/api/samples.js';
import { detailsOf, TestApp } from '../../../../../test/support/api/test-app.js';
import { type BatchDeleteRunsResponse, type BatchRunLifecycleResponse } from './dto/run-batches.js';

class BusyError extends RunyardError {
  override readonly code = 'sample';
  readonly kind = 'conflict';
}

let api: TestApp;
beforeAll(async () => {
  api = await TestApp.open();
});
afterAll(() => api.close());
beforeEach(() => {
  for (const { asked } of [api.housekeeping, api.control, api.submission, api.queries]) asked.length = 0;
  api.lines.length = 0;
});

const RUNS = '/api/v1/runs';
const RUN = `${RUNS}/${RUN_ID}`;
const ids = [RUN_ID, OTHER_RUN_ID];

/** What the use case was asked, without the caller. */
const asked = (fake: { asked: unknown[][] }) => fake.asked.map(([, ...rest]) => rest);

describe('one run', () => {
  it('is renamed, archived, brought back, linked and unlinked', async () => {
    const answers = [
      await api.send('PATCH', RUN, { body: { title: ' Ship it ' } }),
      await api.send('POST', `${RUN}/archive`),
      await api.send('POST', `${RUN}/unarchive`),
      await api.send('PUT', `${RUN}/parent`, { body: { parent_id: OTHER_RUN_ID } }),
      await api.send('DELETE', `${RUN}/parent`),
    ];
    expect(answers.map(({ status, text }) => [status, (JSON.parse(text) as { id: string }).id])).toEqual(
      answers.map(() => [200, RUN_ID]),
    );
    expect(asked(api.housekeeping)).toEqual([
      [RUN_ID, 'Ship it'],
      [RUN_ID],
      [RUN_ID],
      [RUN_ID, OTHER_RUN_ID],
      [RUN_ID, null],
    ]);
  });

  it('is retried as a new one: 201', async () => {
    expect((await api.send('POST', `${RUN}/retry`)).status).toBe(201);
    expect(asked(api.submission)).toEqual([[RUN_ID]]);
  });

  it('is found by a text; its blanks around do not count', async () => {
    expect((await api.send('GET', `${RUNS}/resolve?selector=%20review%20`)).status).toBe(200);
    expect((await api.send('GET', `${RUNS}/resolve?selector=review&match=exact`)).status).toBe(200);
    expect(asked(api.queries)).toEqual([
      ['review', 'newest'],
      ['review', 'exact'],
    ]);
    for (const query of [
      '?selector=a&match=part',
      '',
      '?selector=',
      '?selector=%20',
      '?selector=a&selector=b',
      `?selector=${'x'.repeat(201)}`,
    ]) {
      const answer = await api.send('GET', `${RUNS}/resolve${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
    }
  });

  it('takes every fault of an update for an invalid request, and another media type of a link for that', async () => {
    const text = { 'content-type': 'text/plain' };
    expect((await api.send('PATCH', RUN, { body: 'title', headers: text })).status).toBe(400);
    expect((await api.send('PUT', `${RUN}/parent`, { body: 'x', headers: text })).status).toBe(415);
    const faulty = await api.send('PUT', `${RUN}/parent`, { body: { parent_id: 'x' } });
    expect(detailsOf(faulty)[0]).toContain('parent_id must be a ULID');
    expect(asked(api.housekeeping)).toEqual([]);
  });
});

describe('several runs', () => {
  it('are answered one by one, with a summary', async () => {
    api.housekeeping.results = [{ outcome: 'archived', run: aRun() }, { error: new BusyError('It is running.') }];
    const answer = await api.send('POST', `${RUNS}/archive`, { body: { run_ids: ids } });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text) as BatchRunLifecycleResponse).toEqual({
      results: [
        { run_id: RUN_ID, ok: true, outcome: 'archived', run: aRun() },
        {
          run_id: OTHER_RUN_ID,
          ok: false,
          outcome: 'conflict',
          error: { status: '409', title: 'Conflict', detail: 'It is running.', code: 'sample' },
        },
      ],
      summary: { requested: 2, succeeded: 1, failed: 1 },
    });
    await api.send('POST', `${RUNS}/unarchive`, { body: { run_ids: ids } });
    expect(asked(api.housekeeping)).toEqual([[ids], [ids]]);
  });

  it('are removed one by one; a failure of our own is logged and not told', async () => {
    const failure = new Error('The bucket is gone.');
    api.control.removals = ['deleted', failure];
    const answer = await api.send('POST', `${RUNS}/delete`, { body: { run_ids: ids, force: true } });
    const { results, summary } = JSON.parse(answer.text) as BatchDeleteRunsResponse;
    expect(results.map(({ ok, outcome }) => [ok, outcome])).toEqual([
      [true, 'deleted'],
      [false, 'error'],
    ]);
    expect(results[1]?.error).toMatchObject({ status: '500', detail: expect.not.stringContaining('bucket') });
    expect(summary).toEqual({ requested: 2, succeeded: 1, failed: 1 });
    expect(api.lines.flatMap(({ error }) => error ?? [])).toEqual([
      expect.objectContaining({ message: failure.message }),
    ]);
    expect(asked(api.control)).toEqual([[ids, { force: true }]]);
  });

  it.each([
    ['no ids', {}, 'run_ids is missing'],
    ['one id', { run_ids: RUN_ID }, 'run_ids must be a list'],
    ['an empty list', { run_ids: [] }, 'run_ids must have at least 1'],
    ['251 ids', { run_ids: Array.from({ length: 251 }, () => RUN_ID) }, 'run_ids must have at most 250'],
    ['something else', { run_ids: [RUN_ID, 'x'] }, 'run_ids[1] must be a ULID'],
    [
      'an id twice',
      { run_ids: [RUN_ID, OTHER_RUN_ID, RUN_ID] },
      `run_ids must name each run once, not ${RUN_ID} twice`,
    ],
  ])('are not touched when the request names %s', async (_, body, detail) => {
    for (const what of ['archive', 'unarchive', 'delete']) {
      const answer = await api.send('POST', `${RUNS}/${what}`, { body });
      expect([answer.status, detailsOf(answer)[0]]).toEqual([400, expect.stringContaining(detail)]);
    }
    expect([...asked(api.housekeeping), ...asked(api.control)]).toEqual([]);
  });
});
