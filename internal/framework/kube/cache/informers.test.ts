import { describe, expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { KubeApiError } from '../errors/errors.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import type { ConfigMap } from '../object/object.ts';
import { configMaps, leases, secrets } from '../object/resource-type.ts';
import { createInformers } from './informers.ts';

function setup() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  return { client, clock, informers: createInformers({ client, clock, log: nopLogger }) };
}

test('everybody who asks for the same gets the same informer', () => {
  const { informers } = setup();
  const selection = () => ({ labelSelector: 'shard=a' });
  expect(informers.of(configMaps)).toBe(informers.of(configMaps));
  expect(informers.of(configMaps, { selection: selection() })).toBe(
    informers.of(configMaps, { selection: selection() }),
  );
  expect(informers.metadataOf(secrets)).toBe(informers.metadataOf(secrets));
});

test.each([
  { another: 'type', options: [secrets, {}] as const },
  { another: 'version', options: [{ ...configMaps, version: 'v2' }, {}] as const },
  { another: 'selector', options: [configMaps, { selection: { labelSelector: 'shard=a' } }] as const },
  { another: 'namespace', options: [configMaps, { selection: { namespace: 'shop' } }] as const },
  { another: 'transform', options: [configMaps, { transform: (object: ConfigMap) => object }] as const },
])('another $another is another informer', ({ options: [type, options] }) => {
  const { informers } = setup();
  expect(informers.of(type, options)).not.toBe(informers.of(configMaps));
});

test('a selector of fields is none of labels, nor is it left out beside one', () => {
  const { informers } = setup();
  const selections = [
    { labelSelector: 'a=b' },
    { fieldSelector: 'a=b' },
    { labelSelector: 'a=b', fieldSelector: 'a=b' },
  ];
  const all = selections.map((selection) => informers.of(configMaps, { selection }));
  expect(new Set(all).size).toBe(3);
});

test('metadata alone is asked for where only metadata is wanted', async () => {
  const { client, informers } = setup();
  const informer = informers.metadataOf(secrets);
  expect(informer).not.toBe(informers.of(secrets));
  client.seed(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'shop', name: 's' },
    data: { password: 'c2VjcmV0' },
  } as never);
  const stop = informer.start();
  await informer.whenSynced();
  expect(Object.keys(informer.list()[0] ?? {})).not.toContain('data');
  stop();
});

describe('together', () => {
  test('they have a problem while none that is started works', async () => {
    const { client, clock, informers } = setup();
    let refused: Record<string, number> = { configmaps: 503, secrets: 503 };
    client.onRequest(({ type }) => {
      const status = refused[type.plural];
      if (status !== undefined) throw new KubeApiError(attempt, { httpStatus: status });
    });
    informers.of(leases);
    expect(informers.problem()).toBeUndefined();
    const stopFirst = informers.of(configMaps).start();
    await clock.advance(5000);
    const stopSecond = informers.of(secrets).start();
    await clock.advance(1000);
    expect(informers.problem()).toMatchObject({
      forMs: 6000,
      text: expect.stringContaining('HTTP status 503'),
    });
    refused = { configmaps: 503, secrets: 404 };
    await clock.advance(60_000);
    expect(informers.problem()).toBeUndefined();
    refused = { configmaps: 503 };
    await clock.advance(60_000);
    expect(informers.problem()).toBeUndefined();
    stopSecond();
    expect(informers.problem()).toMatchObject({ forMs: 126_000 });
    stopFirst();
    expect(informers.problem()).toBeUndefined();
  });
  const attempt = { verb: 'list', object: 'configmaps', clusterName: 'memory cluster' };

  test('they tell when the first problem of all begins and when one of them works again', async () => {
    const { client, clock, informers } = setup();
    let status: number | undefined = 503;
    client.onRequest(() => {
      if (status !== undefined) throw new KubeApiError(attempt, { httpStatus: status });
    });
    const calls: (string | undefined)[] = [];
    const stop = informers.onProblem(() => calls.push(informers.problem()?.text));
    for (const type of [configMaps, secrets]) informers.of(type).start();
    await clock.advance(60_000);
    expect(calls).toEqual([expect.stringContaining('HTTP status 503')]);
    status = 404;
    await clock.advance(60_000);
    expect(calls.slice(1)).toEqual([undefined]);
    status = 503;
    await clock.advance(60_000);
    expect(calls.slice(2)).toEqual([expect.stringContaining('HTTP status 503')]);
    status = undefined;
    await clock.advance(60_000);
    expect(calls.slice(3)).toEqual([undefined]);
    stop();
    status = 503;
    client.expireWatches();
    await clock.advance(60_000);
    expect(calls).toHaveLength(4);
    informers.close();
  });

  test('they can be ended', async () => {
    const { client, clock, informers } = setup();
    const all = [informers.of(configMaps), informers.metadataOf(secrets)];
    for (const informer of all) informer.start();
    await clock.advance(0);
    informers.close();
    const before = client.requests.length;
    await clock.advance(3_600_000);
    expect([client.requests.length, all.some((each) => each.isStarted())]).toEqual([before, false]);
    expect(clock.pending()).toBe(0);
  });
});
