import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A name, or an address, leads into a network that only insiders reach. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/**
 * Looks a name up for a connection, which then goes to what was found here and nowhere else. Fails when any of the
 * addresses is not public: a name with addresses of both kinds is made to lead inside.
 */
export function publicLookup(resolve: Resolve = systemLookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) done(error, '');
      else if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        done(new PrivateAddressError(`${hostname} does not lead to a public address.`), '');
      } else if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

/** Throws a {@link PrivateAddressError} for a URL that is not encrypted, or whose host is an address that is not public. */
export function requirePublic(url: string): void {
  const { protocol, hostname } = new URL(url);
  // Connections to addresses are made without a look-up.
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'https:' && (isIP(host) === 0 || isPublicAddress(host))) return;
  throw new PrivateAddressError(`${hostname} is not reached over ${protocol}`);
}
