import { describe, expect, it } from '@jest/globals';
import { includesIn } from './includes-in.js';

describe('includesIn', () => {
  it.each([
    ['a {% include "b.md" %}', [{ path: 'b.md', offset: 13 }]],
    [
      `{%- include 'x/y.md' -%}{% if a %}{% include "z.md" %}{% endif %}`,
      [
        { path: 'x/y.md', offset: 12 },
        { path: 'z.md', offset: 45 },
      ],
    ],
    ['{% raw %}{% include "b.md" %}{% endraw %}{# {% include "b.md" %} #}', []],
    ['{{ "{% include \'b.md\' %}" }}', []],
    ['plain { text }', []],
    ['{% include b %}', []],
    ['{% include "b.md" %}{{', []],
  ])('of %j are %j', (text, includes) => {
    expect(includesIn(text)).toEqual(includes);
  });
});
