import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenAPIObject } from '@nestjs/swagger';
import { TestApp } from '../../../../../test/support/api/test-app.js';
import { describeApi } from '../../describe-api.js';

interface DescribedOperation {
  operationId: string;
  path: string;
  method: string;
  isPublic: boolean;
}

let api: TestApp;
let document: OpenAPIObject;
beforeAll(async () => {
  api = await TestApp.open();
  document = JSON.parse(await describeApi()) as OpenAPIObject;
});
afterAll(() => api.close());

function operations(): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, { operationId: string; security?: unknown[] }>).map(
      ([method, { operationId, security }]) => ({ operationId, path, method, isPublic: security?.length === 0 }),
    ),
  );
}

describe('the OpenAPI document', () => {
  it('is the committed one; run "npm run generate:client" after a change', async () => {
    const file = new URL('../../../../../libs/api-client/openapi.json', import.meta.url);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(document);
  });

  it('is served to everybody', async () => {
    const answer = await api.send('GET', '/api/v1/openapi.json', { headers: { authorization: null } });
    expect(answer.headers['content-type']).toContain('application/json');
    expect(JSON.parse(answer.text)).toEqual(document);
  });

  it('refers only to schemas that it holds', () => {
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
    expect(Object.keys(document.components?.schemas ?? {})).toEqual(expect.arrayContaining(names));
  });
});

describe('access', () => {
  it('is refused without credentials wherever it is not public', async () => {
    for (const { method, path, isPublic } of operations()) {
      const url = path.replace('{id}', '01K2ZP6Q8V9Y3T5N7M1R4S6X8B');
      const answer = await api.send(method.toUpperCase() as 'GET', url, { headers: { authorization: null } });
      expect([path, answer.status]).toEqual([path, isPublic ? 200 : 401]);
    }
  });
});
