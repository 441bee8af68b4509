import { describe, expect, it } from '@jest/globals';
import { Sources } from '../source/sources.js';
import { Bundle, canonicalPath } from './bundle.js';

describe('canonicalPath', () => {
  it.each([
    ['plan.md', 'flows/main.dot', 'flows/plan.md'],
    ['./a//b.md', 'main.dot', 'a/b.md'],
    ['../shared/x.md', 'flows/main.dot', 'shared/x.md'],
    ['a/../../b.md', 'flows/main.dot', 'b.md'],
  ])('%s in %s is %s', (reference, from, path) => {
    expect(canonicalPath(reference, from)).toBe(path);
  });

  it.each([
    ['../x.md', 'main.dot', 'outside'],
    ['a/../../x.md', 'main.dot', 'outside'],
    ['/etc/passwd', 'main.dot', 'relative'],
    ['~/x.md', 'main.dot', 'relative'],
    ['C:/x.md', 'main.dot', 'relative'],
    ['a\\b.md', 'main.dot', 'forward slashes'],
    ['{{ inputs.file }}', 'main.dot', 'templates are not supported'],
    ['{% if x %}a{% endif %}', 'main.dot', 'templates are not supported'],
    ['x.md', undefined, 'stands in no file'],
    ['', 'main.dot', 'no file'],
    ['..', 'flows/main.dot', 'no file'],
  ])('%j in %s names nothing', (reference, from, problem) => {
    expect(canonicalPath(reference, from)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe('Bundle', () => {
  it('reads each file once, and says which is not there', () => {
    const sources = new Sources();
    const bundle = new Bundle(new Map([['a/x.md', 'text']]), sources);
    const found = bundle.resolve('x.md', 'a/main.dot');
    expect(found).toMatchObject({ path: 'a/x.md', file: { text: 'text', path: 'a/x.md' } });
    expect(bundle.resolve('../a/x.md', 'b/main.dot')).toEqual(found);
    expect(bundle.resolve('y.md', 'a/main.dot')).toEqual({
      problem: expect.stringContaining('which is missing: there is no "a/y.md"'),
    });
    expect(bundle.resolve('constructor', 'main.dot')).toHaveProperty('problem');
  });
});
