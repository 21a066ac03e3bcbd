import dns from 'node:dns';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isPublicAddress, urlFault, vettedLookup } from './address';

describe('public addresses', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '192.169.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450:4001:829::200e', '::ffff:8.8.8.8'])('%s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );

  test.each([
    ['127.0.0.1', '127.1.2.3', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '100.127.255.255'],
    ['224.0.0.1', '239.255.255.255', '255.255.255.255', '240.0.0.1', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
    ['::', '::1', 'fe80::1', 'febf::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', 'fec0::1', '100::1', '2001:db8::1', '2002:7f00:1::', '2001::1', '64:ff9b::7f00:1', '64:ff9b:1::a00:1'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::127.0.0.1', '::ffff:0:127.0.0.1', '5f00::1', '3fff::1'],
    ['', 'localhost', '127.0.0.1.', '1.2.3.4.5', '::g'],
  ].flat())('not %j', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('a webhook’s URL', () => {
  test.each([
    ...['ftp://example.com', 'file:///etc/passwd', 'javascript:alert(1)', 'example.com', '//example.com', '', 'https://', 'http://u@example.com', 'http://u:p@example.com'],
    ...['http://127.0.0.1', 'http://127.1/x', 'http://2130706433', 'http://0x7f.1', 'http://017700000001', 'http://[::1]:80', 'http://[::ffff:127.0.0.1]', 'https://[fd00::1]', 'http://0', 'http://169.254.169.254/latest'],
  ])('%j is refused', (url) => expect(urlFault(url, false)).toEqual(expect.any(String)));

  test.each(['https://example.com/hook?x=1', 'http://example.com:8080', 'http://localhost/', 'https://8.8.8.8/', 'https://[2606:4700:4700::1111]/'])('%j is taken', (url) => expect(urlFault(url, false)).toBeUndefined());

  test('private ones are taken where they are allowed; other faults stay', () => {
    expect(['http://127.0.0.1', 'http://[::1]', 'http://10.0.0.1'].map((url) => urlFault(url, true))).toEqual([undefined, undefined, undefined]);
    expect(['ftp://127.0.0.1', 'http://u:p@127.0.0.1'].map((url) => typeof urlFault(url, true))).toEqual(['string', 'string']);
  });
});

describe('the lookup', () => {
  afterEach(() => vi.restoreAllMocks());
  const resolveTo = (...addresses: string[]) =>
    vi.spyOn(dns, 'lookup').mockImplementation(((_host: string, _options: unknown, done: (error: null, found: dns.LookupAddress[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as never);
  const look = (allowPrivate: boolean, all: boolean) =>
    new Promise<unknown>((resolve) => vettedLookup(allowPrivate)('example.com', { all }, ((error: Error | null, found: unknown, family: unknown) => resolve(error ? error.message : all ? found : [found, family])) as never));

  test.each([[['127.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['::ffff:127.0.0.1']], [['2606:4700:4700::1111', 'fd00::1']]])('refuses a name with any address that is not public: %j', async (addresses) => {
    resolveTo(...addresses);
    for (const all of [true, false]) expect(await look(false, all)).toMatch(/not public/);
  });

  test('gives the addresses that it has judged, resolved once', async () => {
    const resolved = resolveTo('8.8.8.8', '1.1.1.1');
    expect(await look(false, true)).toEqual([{ address: '8.8.8.8', family: 4 }, { address: '1.1.1.1', family: 4 }]);
    expect(await look(false, false)).toEqual(['8.8.8.8', 4]);
    expect(resolved).toHaveBeenCalledTimes(2);
  });

  test('lets private ones pass where they are allowed, and refuses a name without any', async () => {
    resolveTo('127.0.0.1');
    expect(await look(true, false)).toEqual(['127.0.0.1', 4]);
    resolveTo();
    expect(await look(true, true)).toMatch(/no address/);
  });
});
