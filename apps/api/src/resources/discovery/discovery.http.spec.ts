import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestApp } from '../../../../../test/support/api/test-app.js';

let api: TestApp;
beforeAll(async () => (api = await TestApp.open()));
afterAll(() => api.close());

it('offers a stranger only what is there', async () => {
  const { text } = await api.send('GET', '/', { headers: { authorization: null } });
  const { urls } = JSON.parse(text) as { urls: Record<string, string> };
  expect(Object.keys(urls)).not.toEqual([]);
  for (const url of Object.values(urls)) {
    const { status } = await api.send('GET', new URL(url, 'http://here').pathname, {
      headers: { authorization: null },
    });
    expect([url, status]).toEqual([url, 200]);
  }
});
