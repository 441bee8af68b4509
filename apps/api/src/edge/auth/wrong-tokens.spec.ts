import { describe, expect, it } from '@jest/globals';
import { FixedClock } from '#libs/kernel';
import { sourceOf, WrongTokens } from './wrong-tokens.js';

describe('wrong tokens', () => {
  it('are too many beyond so many in a minute, for each source alone', () => {
    const clock = new FixedClock(0);
    const wrong = new WrongTokens(2, clock);
    expect([wrong.add('a'), wrong.add('a'), wrong.add('a'), wrong.add('b')]).toEqual([false, false, true, false]);
    clock.advance(59_999);
    expect(wrong.add('a')).toBe(true);
    clock.advance(1);
    expect(wrong.add('a')).toBe(false);
  });

  it('are not those that turned out right', () => {
    const wrong = new WrongTokens(1, new FixedClock(0));
    for (let i = 0; i < 5; i++) {
      expect(wrong.add('a')).toBe(false);
      wrong.takeOff('a');
    }
    wrong.takeOff('b');
    expect([wrong.add('b'), wrong.add('b')]).toEqual([false, true]);
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  [undefined, 'socket'],
])('%s stands for %s', (address, source) => {
  expect(sourceOf(address)).toBe(source);
});
