import { describe, expect, it } from '@jest/globals';
import { publicLookup, requirePublic } from './public-lookup.js';

interface Found {
  error: string | undefined;
  address: unknown;
}

/** What a connection is told about a name that has these addresses. */
function lookedUp(addresses: readonly string[], all = true): Promise<Found> {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const lookup = publicLookup((_hostname, _options, done) => done(null, found));
  return new Promise((resolve) =>
    lookup('example.com', { all }, (error, address) => resolve({ error: error?.name, address })),
  );
}

describe('a name', () => {
  it('is what was found, where all of it is public', async () => {
    expect(await lookedUp(['8.8.8.8'], false)).toEqual({ error: undefined, address: '8.8.8.8' });
    expect((await lookedUp(['8.8.8.8', '2606:4700::1'])).address).toHaveLength(2);
  });

  it.each([[['10.0.0.1']], [['8.8.8.8', '127.0.0.1']], [['8.8.8.8', '::1']], [[]]])(
    'with the addresses %j leads nowhere',
    async (addresses) => expect((await lookedUp(addresses)).error).toBe('PrivateAddressError'),
  );
});

describe('a URL', () => {
  it.each(['https://example.com/x', 'https://8.8.8.8/x', 'https://[2606:4700::1]/'])('%s may be public', (url) =>
    expect(() => requirePublic(url)).not.toThrow(),
  );

  it.each([
    ...['http://example.com/', 'https://127.0.0.1/', 'https://0x7f.1/', 'https://2130706433/', 'https://0177.0.0.1/'],
    ...['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://169.254.169.254/latest', 'https://[fd00:ec2::254]/'],
  ])('%s is not', (url) => expect(() => requirePublic(url)).toThrow());
});
