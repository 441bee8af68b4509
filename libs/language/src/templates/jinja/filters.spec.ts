import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { filters } from './filters.js';

describe('the filters', () => {
  it('are all in the guide', () => {
    const page = readFileSync('docs/guide/templates.md', 'utf8');
    expect([...filters.keys()].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
