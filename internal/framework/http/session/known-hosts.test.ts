import { describe, expect, test } from '@jest/globals';
import { createHostSlots } from '../limits/host-slots.ts';
import { limitKeysOf } from './called-hosts.ts';
import { createKnownHosts } from './known-hosts.ts';

function setUp() {
  const withTokens = new Set<string>();
  const hosts = createKnownHosts({
    limitKeysOf: (called) =>
      limitKeysOf(called, {
        apiName: 'HANA Cloud',
        hostSlots: createHostSlots(24),
        holdsToken: withTokens.has(called.credentialsID),
      }),
  });
  const called = (credentialsID: string, api: string) => ({
    credentialsID,
    baseUrl: `https://${api}`,
    tokenUrl: 'https://token.example.org/oauth/token',
  });
  const namesOf = (location: string) => hosts.limitKeysOf(location).map(({ name }) => name);
  return { hosts, called, namesOf, withTokens };
}

const one = 'HANA Cloud one.example.org';

describe('limit keys of reconciles with credentials', () => {
  test('while the host is unknown, each location has a key of its own', () => {
    const { namesOf } = setUp();
    expect(namesOf('a')).toHaveLength(1);
    expect(namesOf('a')).not.toEqual(namesOf('b'));
  });

  test('locations whose credentials lead to one host share its key once it is known', () => {
    const { hosts, called, namesOf, withTokens } = setUp();
    hosts.note('a', called('ca', 'one.example.org/path'));
    hosts.note('b', called('cb', 'one.example.org'));
    withTokens.add('ca').add('cb');
    expect([namesOf('a'), namesOf('b')]).toEqual([[one], [one]]);
  });

  test('another host at the same location is another key', () => {
    const { hosts, called, namesOf, withTokens } = setUp();
    withTokens.add('ca');
    hosts.note('a', called('ca', 'one.example.org'));
    hosts.note('a', called('ca', 'two.example.org'));
    expect(namesOf('a')).toEqual(['HANA Cloud two.example.org']);
  });

  test('without a token in memory the token endpoint is the key', () => {
    const { hosts, called, namesOf, withTokens } = setUp();
    hosts.note('a', called('ca', 'one.example.org'));
    expect(namesOf('a')).toEqual(['token endpoint token.example.org']);
    withTokens.add('ca');
    expect(namesOf('a')).toEqual([one]);
  });
});
