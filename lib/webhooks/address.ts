/** Where webhooks may be sent: to public addresses only, unless an operator allowed the others for one. */
import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A try that was not made, or failed, for a reason that a person can read. */
export class SendError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SendError';
  }
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public internet: none of loopback, private, link-local,
 * unique-local, carrier NAT, multicast, reserved, or a form that hides an IPv4 address in IPv6
 * (of a mapped one, what it maps is judged). Pure.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const found = ipaddr.process(address);
  if (found.range() !== 'unicast') return false;
  return found.kind() === 'ipv4' || (found as ipaddr.IPv6).match(GLOBAL_UNICAST);
}

const isSafe = (address: string, allowPrivate: boolean): boolean => allowPrivate || isPublicAddress(address);

/** An IP address that stands in a URL in the place of a name, without its brackets; undefined for a name. */
function literalOf(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) ? host : undefined;
}

/** What is wrong with a webhook's URL, or undefined. A name is judged when it is resolved, each time. Pure. */
export function urlFault(text: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL, as https://example.com/hook';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must not carry a name or a password: the signature says who sends';
  const literal = literalOf(url);
  if (literal !== undefined && !isSafe(literal, allowPrivate)) return 'is not a public address: allow private addresses for it, if that is meant';
  return undefined;
}

/**
 * A lookup for `http.request` that judges every address of a name and gives only what it has
 * judged: the connection is made to that address, and nothing resolves the name a second time.
 */
export const vettedLookup =
  (allowPrivate: boolean): LookupFunction =>
  (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const bad = addresses.find(({ address }) => !isSafe(address, allowPrivate));
      if (bad || addresses.length === 0) {
        return callback(new SendError(bad ? `The name resolves to an address that is not public (${bad.address}).` : 'The name has no address.'), '', 0);
      }
      if (options.all) return (callback as unknown as (e: null, a: dns.LookupAddress[]) => void)(null, addresses);
      callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
