import { describe, expect, it } from '@jest/globals';
import { hostEnvironment } from './host-environment.js';

describe('what local commands inherit', () => {
  it('is the way around this host, and no secret of the service', () => {
    const own = {
      PATH: '/bin',
      HOME: '/root',
      LC_ALL: 'C',
      OPENAI_API_KEY: 'k',
      DATABASE_URL: 'd',
      RUNYARD_TOKEN: 't',
    };
    expect(hostEnvironment(own)).toEqual({ PATH: '/bin', HOME: '/root', LC_ALL: 'C' });
  });
});
