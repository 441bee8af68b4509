import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorKind, RunyardError } from '#libs/kernel';
import { aManifest } from '../../../../../test/support/api/samples.js';
import { detailsOf, TestApp } from '../../../../../test/support/api/test-app.js';
import { HTTP_STATUS } from '../errors/http-status.js';

class SampleError extends RunyardError {
  override readonly code = 'sample';
  constructor(readonly kind: ErrorKind) {
    super('A sentence for people.');
  }
}

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let api: TestApp;
beforeAll(async () => {
  api = await TestApp.open();
});
afterAll(() => api.close());

const submit = () => api.send('POST', '/api/v1/runs', { body: aManifest() });

describe('an error of the program', () => {
  it.each(Object.entries(HTTP_STATUS))('of kind %s has status %i, its sentence and its code', async (kind, status) => {
    api.submission.failure = new SampleError(kind as ErrorKind);
    const answer = await submit();
    expect(answer.status).toBe(status);
    const requestId = answer.headers['x-request-id'];
    expect(JSON.parse(answer.text)).toEqual({
      errors: [
        expect.objectContaining({
          status: String(status),
          detail: 'A sentence for people.',
          code: 'sample',
          request_id: requestId,
        }),
      ],
      request_id: requestId,
    });
  });

  it('asks to come back when it passes', async () => {
    for (const kind of ['limited', 'unavailable'] as const) {
      api.submission.failure = new SampleError(kind);
      expect((await submit()).headers['retry-after']).toBe('5');
    }
  });
});

describe('a failure of our own', () => {
  it('is a bare 500 for the caller and goes whole to the log', async () => {
    const failure = new Error('password=hunter2', { cause: new Error('connection refused') });
    api.submission.failure = failure;
    const answer = await submit();
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('hunter2');
    expect(detailsOf(answer)).toEqual([expect.stringContaining('request id')]);
    expect(api.lines).toContainEqual(
      expect.objectContaining({
        level: 50,
        requestId: answer.headers['x-request-id'],
        error: expect.objectContaining({ stack: expect.stringMatching(/hunter2[^]*connection refused/) }),
      }),
    );
  });
});

describe('an address', () => {
  it('that does not exist is 404', async () => {
    for (const url of ['/nothing', '/api/v1/nothing', '/api/v1/runs/x/y/z', '/api/v1/runs/']) {
      const answer = await api.send('GET', url, { headers: { authorization: null } });
      expect(answer.status).toBe(404);
      expect(detailsOf(answer)).toEqual([`There is nothing at ${url}.`]);
    }
  });

  it('that takes other methods is 405 and names them', async () => {
    const answer = await api.send('PUT', '/api/v1/runs');
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD, POST');
  });

  it('that cannot be decoded is 400 with the envelope', async () => {
    const answer = await api.send('GET', '/api/v1/runs/%E0%A4%A');
    expect(answer.status).toBe(400);
    expect(answer.headers['x-request-id']).toMatch(UUID_V4);
    expect(detailsOf(answer)).toHaveLength(1);
  });
});

describe('every response', () => {
  it('carries a fresh request id, whatever the client sends, and the headers that keep browsers careful', async () => {
    const answers = await Promise.all(
      ['/health', '/nothing', '/api/v1/runs'].map((url) =>
        api.send('GET', url, { headers: { 'x-request-id': 'mine' } }),
      ),
    );
    for (const { headers } of answers) {
      expect(headers['x-request-id']).toMatch(UUID_V4);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers).not.toHaveProperty('strict-transport-security');
    }
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
  });

  it('asks for https where it came over https', async () => {
    const { headers } = await api.send('GET', '/health', { headers: { 'x-forwarded-proto': 'https, http' } });
    expect(headers['strict-transport-security']).toContain('max-age=63072000');
  });
});
