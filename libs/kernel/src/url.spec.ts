import { expect, it } from '@jest/globals';
import { withoutCredentials } from './url.js';

it.each([
  ['https://token@example.com/a.git', 'https://example.com/a.git'],
  ['https://example.com/a.git?access_token=x#y', 'https://example.com/a.git'],
  ['ssh://git:pw@example.com:22/a.git', 'ssh://git@example.com:22/a.git'],
  ['git@example.com:a/b.git', 'git@example.com:a/b.git'],
  ['https://a:b@not a host/x', 'https://not a host/x'],
  ['/srv/a.git', '/srv/a.git'],
])('withoutCredentials makes %s to %s', (remote, clean) => expect(withoutCredentials(remote)).toBe(clean));
