import { BlockList, isIP, isIPv6 } from 'node:net';

/** Ranges of IPv4 that lead to no server of the internet: private, shared, link-local, metadata, documentation, multicast. */
const INSIDE = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/3'],
];
/** All of IPv6 that leads to servers of the internet, and what of it stands for something else: tunnels, documentation. */
const GLOBAL = ['2000::/3'];
const NOT_GLOBAL = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const inside = listOf(INSIDE, 'ipv4');
const global = listOf(GLOBAL, 'ipv6');
const notGlobal = listOf(NOT_GLOBAL, 'ipv6');

/** Whether an IP address is one of the internet, and none of a network that only insiders reach. */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return global.check(address, 'ipv6') && !notGlobal.check(address, 'ipv6');
  return isIP(address) === 4 && !inside.check(address, 'ipv4');
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, bits] = range.split('/');
    list.addSubnet(network!, Number(bits), family);
  }
  return list;
}
