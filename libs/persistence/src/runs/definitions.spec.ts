import { describe, expect, it } from '@jest/globals';
import type { TenantId } from '#libs/kernel';
import type { Queryable } from '../database.js';
import { Definitions, encodeDefinition, encodeLargeDefinition, StoredDefinitions } from './definitions.js';

const acme = 'acme' as TenantId;
const zenith = 'zenith' as TenantId;

/** A table of definitions that counts how often it is asked. */
function tableOf(texts: readonly string[]) {
  const bodies = new Map(texts.map(encodeDefinition).map(({ sha256, body }) => [sha256, body()]));
  const asked: string[] = [];
  const table: Queryable = {
    async query<Row>(_: unknown, [tenantId, sha256]: readonly unknown[] = []): Promise<Row[]> {
      asked.push(`${String(tenantId)} ${String(sha256)}`);
      const body = tenantId === acme ? bodies.get(sha256 as string) : undefined;
      return (body ? [{ body }] : []) as Row[];
    },
  };
  return { table, asked };
}

describe('encodeDefinition', () => {
  it('names a text by its own digest, however it is stored', () => {
    expect(encodeDefinition('abc').sha256).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(encodeDefinition('x'.repeat(9_999)).sha256).not.toBe(encodeDefinition('x'.repeat(9_998)).sha256);
  });

  it('leaves small texts as they are and makes large ones small', () => {
    expect(encodeDefinition('{}').body().toString()).toBe('{}');
    expect(encodeDefinition('x'.repeat(100_000)).body().length).toBeLessThan(1_000);
  });
});

it('encodeLargeDefinition makes the same of a text', async () => {
  const text = 'xyz'.repeat(10_000);
  const [large, plain] = [await encodeLargeDefinition(text), encodeDefinition(text)];
  expect([large.sha256, large.text, large.body()]).toEqual([plain.sha256, text, plain.body()]);
});

describe('Definitions', () => {
  it.each(['"small"', JSON.stringify({ text: 'ü€😀'.repeat(2_000) })])('reads back what was stored', async (text) => {
    const { table } = tableOf([text]);
    const { sha256 } = encodeDefinition(text);
    expect(await new Definitions(table).read(acme, sha256)).toEqual(JSON.parse(text));
  });

  it('asks once for what it has read', async () => {
    const { table, asked } = tableOf(['1']);
    const definitions = new Definitions(table);
    const { sha256 } = encodeDefinition('1');
    await definitions.read(acme, sha256);
    await definitions.read(acme, sha256);
    expect(asked).toHaveLength(1);
  });

  it('gives no tenant what another one stored, not even from memory', async () => {
    const { table } = tableOf(['1']);
    const definitions = new Definitions(table);
    const { sha256 } = encodeDefinition('1');
    await definitions.read(acme, sha256);
    await expect(definitions.read(zenith, sha256)).rejects.toThrow(/not stored/);
  });

  it('keeps what was used last by its size, and forgets what was used longest ago', async () => {
    const texts = ['a', 'b', 'c'].map((letter) => JSON.stringify(letter.repeat(14 * 1024 * 1024)));
    const { table, asked } = tableOf(texts);
    const definitions = new Definitions(table);
    const read = (i: number) => definitions.read(acme, encodeDefinition(texts[i]!).sha256);
    await read(0);
    await read(1);
    await read(0);
    await read(2);
    asked.length = 0;
    await read(0);
    expect(asked).toHaveLength(0);
    await read(1);
    expect(asked).toHaveLength(1);
  });
});

describe('StoredDefinitions', () => {
  it('knows digests by tenant', () => {
    const known = new StoredDefinitions();
    known.add(acme, 'a');
    expect([known.has(acme, 'a'), known.has(zenith, 'a'), known.has(acme, 'b')]).toEqual([true, false, false]);
  });
});
