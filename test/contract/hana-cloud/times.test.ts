/** Lifetimes of tokens that a foreign server states. */
import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { callOptions, hanaCloudOfFile, instance, openHanaCloud, parsed, thrownBy } from './set-up.ts';

const { simulator } = hanaCloudOfFile();

const DAY_MS = 86_400_000;
const count = (route: 'list' | 'token') => simulator.requests({ route }).length;

/** Lists as two reconciles do, the second one later by the monotonic clock. */
async function listTwice(laterMs: number): Promise<void> {
  let skewMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skewMs };
  const hana = openHanaCloud({ clock });
  try {
    for (const skew of [0, laterMs]) {
      skewMs = skew;
      const client = hana.connect(parsed((await simulator.credentials(instance)).fields));
      await client.listMappings(instance, callOptions());
      await client.close();
    }
  } finally {
    await hana.close();
  }
}

/** The token endpoint grants a token that is good for a long time, and states another lifetime. */
async function stateLifetime(expires_in: unknown): Promise<void> {
  const { fields } = await simulator.credentials(instance);
  const { clientid } = JSON.parse(fields.uaa ?? '');
  simulator.store.issueToken(clientid, Date.now() + 1000 * DAY_MS, 'opaque-token');
  const body = { access_token: 'opaque-token', token_type: 'bearer', expires_in };
  simulator.faults.add({ on: { route: 'token' }, do: { kind: 'status', status: 200, body } });
}

describe('a token with a lifetime of', () => {
  test.each<[title: string, lifetime: unknown, laterMs: number, tokens: number]>([
    ['nothing, which is used for ten seconds: within them', 0, 5000, 1],
    ['null, which is none', null, 5000, 1],
    ['nothing, which is used for ten seconds: after them', 0, 10_000, 2],
    ['a fraction of a second, which is used for ten as well', 0.001, 5000, 1],
    ['a number in a text', '1000', 100_000, 1],
    ['centuries, which is used for a day at most: after it', 1e12, DAY_MS, 2],
    ['the largest number', Number.MAX_VALUE, DAY_MS, 2],
  ])('%s', async (_title, lifetime, laterMs, tokens) => {
    await stateLifetime(lifetime);
    await listTwice(laterMs);
    expect([count('list'), count('token')]).toEqual([2, tokens]);
  });

  test.each([[-1], [-1e15], ['soon'], [{}]])(
    '%p is a difference from the contract, which names no token',
    async (lifetime) => {
      await stateLifetime(lifetime);
      const error = await thrownBy(() => listTwice(0));
      expect(error).toMatchObject({ kind: 'transient' });
      expect(error.message).toContain('POST /oauth/token');
      expect(error.message).not.toContain('opaque-token');
      expect(count('list')).toBe(0);
    },
  );
});
