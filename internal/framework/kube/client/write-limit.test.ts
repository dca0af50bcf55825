import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { apiError, createMemoryClient } from '../fakes/memory-client.ts';
import { configMaps, leases, secrets } from '../object/resource-type.ts';
import { limitWrites, MAX_WRITES } from './write-limit.ts';

const times = (count: number) => Array.from({ length: count }, (_, number) => number);
const key = { namespace: 'ns', name: 'contested' };
const secret = (name = key.name) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'ns', name },
});

async function setUp() {
  const clock = createFakeClock();
  const memory = createMemoryClient({ clock });
  const client = limitWrites(memory, { clock });
  const write = (number: number) => client.mergePatch(secrets, key, { data: { number: `${number}` } });
  await client.create(secrets, secret());
  return { clock, client, memory, write };
}

describe('writes of one object', () => {
  test('are refused beyond the limit until the minute is over, with the object and the cause', async () => {
    const { clock, write } = await setUp();
    for (const number of times(MAX_WRITES - 1)) await write(number);
    await clock.advance(20_000);
    await expect(write(99)).rejects.toMatchObject({
      kind: 'throttled',
      retryAfterMs: 40_000,
      message: expect.stringContaining('Secret ns/contested was written 30 times within a minute'),
    });
    await clock.advance(39_999);
    await expect(write(99)).rejects.toThrow('changes it back');
    await clock.advance(1);
    expect(await write(99)).toMatchObject({ data: { number: '99' } });
  });

  test('that the API server refuses do not count: its own refusal says what is wrong', async () => {
    const { memory, write } = await setUp();
    const stop = memory.onRequest(() => {
      throw apiError(403, 'Forbidden');
    });
    for (const number of times(MAX_WRITES + 1)) await expect(write(number)).rejects.toThrow('Forbidden');
    stop();
    expect(await write(1)).toMatchObject({ data: { number: '1' } });
  });

  test.each<[string, (setting: Awaited<ReturnType<typeof setUp>>, number: number) => Promise<unknown>]>([
    ['update', ({ client }) => client.update(secrets, secret())],
    ['apply', ({ client }) => client.apply(secrets, secret(), { fieldManager: 'test' })],
    ['JSON patch', ({ client }) => client.jsonPatch(secrets, key, [])],
    [
      'creation of an object that others delete',
      async ({ client, memory }) => {
        await memory.delete(secrets, key);
        await client.create(secrets, secret());
      },
    ],
  ])('are limited for each way to write: %s', async (_, write) => {
    const setting = await setUp();
    let written = 0;
    const all = async () => {
      for (const number of times(MAX_WRITES + 1)) {
        await write(setting, number);
        written++;
      }
    };
    await expect(all()).rejects.toThrow('within a minute');
    expect(written).toBe(MAX_WRITES - 1);
  });

  test.each<[string, (setting: Awaited<ReturnType<typeof setUp>>, number: number) => Promise<unknown>]>([
    ['dry runs', ({ client }) => client.mergePatch(secrets, key, {}, { dryRun: true })],
    ['other objects', ({ client }, number) => client.create(secrets, secret(`${number}`))],
    [
      'those of its name in other namespaces',
      ({ client }, number) =>
        client.create(secrets, { ...secret(), metadata: { ...key, namespace: `ns-${number}` } }),
    ],
    [
      'those of its name of other kinds',
      async ({ client }, number) => {
        if (number < MAX_WRITES)
          await client.apply(configMaps, { ...secret(), kind: 'ConfigMap' }, { fieldManager: 'test' });
      },
    ],
    ['reads', ({ client }) => client.get(secrets, key)],
  ])('are counted without %s', async (_, call) => {
    const setting = await setUp();
    for (const number of times(3 * MAX_WRITES)) await call(setting, number);
    expect(await setting.write(1)).toBeDefined();
  });

  test('are not limited for Leases, which are renewed for ever', async () => {
    const { client } = await setUp();
    const lease = await client.create(leases, {
      ...secret('lease'),
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
    });
    for (const _ of times(2 * MAX_WRITES))
      await client.mergePatch(leases, { namespace: 'ns', name: 'lease' }, {});
    expect(lease).toBeDefined();
  });
});
