import { describe, expect, it } from '@jest/globals';
import { prepared } from './prepared.js';

interface Pet {
  name: string;
  age: number | null;
}

const keep = prepared<{ owner: string; pets: readonly Pet[] }>(
  'keep-pets',
  (p) =>
    `SELECT ${p.value('text', ({ owner }) => owner)}, n.* FROM ${p.rows(
      'n',
      ({ pets }) => pets,
      {
        name: ['text', ({ name }) => name],
        age: ['int', ({ age }) => age],
        body: ['json lines', (pet) => JSON.stringify(pet)],
      },
      'place',
    )}`,
);

describe('a prepared statement', () => {
  it('numbers its parameters as they stand in its text', () => {
    expect(keep({ owner: 'Ann', pets: [] }).statement).toEqual({
      name: 'keep-pets',
      text:
        'SELECT $1::text, n.* FROM unnest($2::text[], $3::int[], string_to_array($4, chr(10))::json[]) ' +
        'WITH ORDINALITY AS n(name, age, body, place)',
    });
  });

  it('takes the values of each from where its text says', () => {
    const pets = [
      { name: 'Rex', age: 3 },
      { name: 'Mia', age: null },
    ];
    const lines = '{"name":"Rex","age":3}\n{"name":"Mia","age":null}';
    expect(keep({ owner: 'Ann', pets }).values).toEqual(['Ann', ['Rex', 'Mia'], [3, null], lines]);
  });

  it('is the same text each time, so that PostgreSQL plans it once', () => {
    expect(keep({ owner: 'Ann', pets: [] }).statement).toBe(keep({ owner: 'Bob', pets: [] }).statement);
  });
});
