import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { catalogue } from '../graph/attribute-catalogue.js';
import { attributeMeanings } from '../graph/attribute-meanings.js';
import { attributePage } from './attribute-page.js';

describe('the page of attributes', () => {
  it('says of every attribute what it does, and of no other', () => {
    for (const owner of ['graph', 'node', 'edge'] as const) {
      expect(Object.keys(attributeMeanings[owner])).toEqual([...catalogue[owner].keys()]);
    }
  });

  it('is in the guide as it is here; npm run guide writes it', () => {
    expect(readFileSync('docs/guide/attributes.md', 'utf8')).toBe(attributePage());
  });
});
