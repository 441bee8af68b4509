import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RunyardError } from '#libs/kernel';
import { RUN_ID } from '../../../../test/support/api/samples.js';
import { detailsOf, TestApp } from '../../../../test/support/api/test-app.js';

class NoSuchRunError extends RunyardError {
  readonly kind = 'missing';
}

let api: TestApp;
beforeEach(async () => {
  api = await TestApp.open();
  for (const event of ['run.created', 'run.submitted']) api.log.add(`{"event":"${event}"}`);
  api.log.add('{"event":"run.failed"}', true);
});
afterEach(() => api.close());

const url = `/api/v1/runs/${RUN_ID}/attach`;
const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe('GET …/attach', () => {
  it('sends the whole log of a run that is over, and ends', async () => {
    const { status, text } = await api.send('GET', url);
    expect(status).toBe(200);
    expect(text).toBe(
      'id: 1\ndata: {"event":"run.created"}\n\nid: 2\ndata: {"event":"run.submitted"}\n\nid: 3\ndata: {"event":"run.failed"}\n\n',
    );
  });

  it('begins after the last event id, or from since_seq', async () => {
    expect(idsIn((await api.send('GET', url, { headers: { 'last-event-id': '2' } })).text)).toEqual([3]);
    expect(idsIn((await api.send('GET', `${url}?since_seq=2`)).text)).toEqual([2, 3]);
    expect(idsIn((await api.send('GET', `${url}?since_seq=2`, { headers: { 'last-event-id': '2' } })).text)).toEqual([
      3,
    ]);
  });

  it.each(['garbage', '-1', '1.5', ''])('answers 400 for the last event id %j', async (lastEventId) => {
    const answer = await api.send('GET', url, { headers: { 'last-event-id': lastEventId } });
    expect(answer.status).toBe(400);
    expect(detailsOf(answer)[0]).toContain('Last-Event-ID');
  });

  it('answers 404 with the envelope for an unknown run', async () => {
    api.log.failure = new NoSuchRunError('There is no such run.');
    expect((await api.send('GET', url)).status).toBe(404);
  });

  it('answers HEAD without a stream', async () => {
    expect(await api.send('HEAD', url)).toMatchObject({ status: 200, text: '' });
  });
});
