import { describe, expect, it } from '@jest/globals';
import type { RunId } from '#libs/kernel';
import { chosenOf } from './run-finder.js';

const aWorkflow = (slug: string, isExact = false, workflow = slug) => ({
  runId: `the newest of ${slug}` as RunId,
  slug,
  workflow,
  isExact,
});
const deploy = aWorkflow('deploy', true);
const blue = aWorkflow('deploy-blue');

describe('The workflow that a name means', () => {
  it.each(['unique', 'exact'] as const)('is the one that is called so, whatever others hold the name (%s)', (match) => {
    expect(chosenOf('deploy', [deploy, blue], match)).toBe(deploy.runId);
  });

  it('is the only one that holds the name, where a part is enough', () => {
    expect(chosenOf('blue', [blue], 'unique')).toBe(blue.runId);
    expect(() => chosenOf('blue', [blue], 'exact')).toThrow(/It is a part of deploy-blue: give the whole name/);
  });

  it('is none of several, which are named', () => {
    const workflows = [blue, aWorkflow('deploy-red', false, 'Deploy to red')];
    expect(() => chosenOf('deploy', workflows, 'unique')).toThrow(
      /any of several workflows: deploy-blue, deploy-red \(Deploy to red\)\./,
    );
    expect(() => chosenOf('deploy', [deploy, aWorkflow('ship', true, 'Deploy')], 'exact')).toThrow(/several workflows/);
  });

  it('is none where nothing is near; a few characters are told how long the beginning of an id is', () => {
    expect(() => chosenOf('nothing', [], 'unique')).toThrow(/of that name\.$/);
    expect(() => chosenOf('01K', [], 'exact')).toThrow(/at least 4 characters/);
  });

  it('names ten at most', () => {
    const many = Array.from({ length: 11 }, (_, n) => aWorkflow(`w${n}`));
    expect(() => chosenOf('w', many, 'unique')).toThrow(/w8, w9 and more\./);
  });
});
