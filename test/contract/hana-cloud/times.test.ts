/** Times that a foreign server states: lifetimes of tokens, and delays before the next request. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import type { HanaCloudSimulator } from '../../simulators/hana-cloud/simulator.ts';
import { callOptions, instance, openHanaCloud, parsed, startSimulator, thrownBy } from './set-up.ts';

let simulator: HanaCloudSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterEach(() => {
  expect(simulator.violations()).toEqual([]);
  simulator.reset();
});
afterAll(() => simulator.stop());

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
  test.each([
    ['nothing, which is used for ten seconds: within them', 0, 5000, 1],
    ['nothing, which is used for ten seconds: after them', 0, 10_000, 2],
    ['a fraction of a second, which is used for ten as well', 0.001, 5000, 1],
    ['a number in a text', '1000', 100_000, 1],
    ['centuries, which is used for a day at most: within it', 1e12, 0.7 * DAY_MS, 1],
    ['centuries, which is used for a day at most: after it', 1e12, DAY_MS, 2],
    ['the largest number', Number.MAX_VALUE, DAY_MS, 2],
  ])('%s', async (_title, lifetime, laterMs, tokens) => {
    await stateLifetime(lifetime);
    await listTwice(laterMs);
    expect([count('list'), count('token')]).toEqual([2, tokens]);
  });

  test.each([[-1], [-1e15], ['soon'], [null], [{}]])(
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

describe('a Retry-After', () => {
  test.each([
    ['of zero', '0', 1000],
    ['in the past, as a date', 'Thu, 01 Jan 1970 00:00:00 GMT', 1000],
    ['in the past, as a time', '1970-01-01 00:00:00 +0000 UTC', 1000],
    ['of a century', String(100 * 365 * 86_400), 60_000],
    ['in years, as a date', 'Fri, 31 Dec 9999 23:59:59 GMT', 60_000],
    ['in years, as a time', '9999-12-31 23:59:59 +0000 UTC', 60_000],
    ['with more digits than numbers have', '9'.repeat(60), 60_000],
  ])('%s is a delay between a second and a minute', async (_title, value, retryAfterMs) => {
    const headers = { 'retry-after': value };
    simulator.faults.add({ on: { route: 'list' }, do: { kind: 'status', status: 429, headers } });
    expect(await thrownBy(() => listTwice(0))).toMatchObject({ kind: 'throttled', retryAfterMs });
  });
});
