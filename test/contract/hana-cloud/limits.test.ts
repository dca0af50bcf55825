import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FencedError } from '../../../internal/framework/base/concurrency/fence.ts';
import { ThrottledError } from '../../../internal/framework/base/errors/errors.ts';
import {
  type Labels,
  type Metrics,
  nopMetrics,
} from '../../../internal/framework/base/telemetry/telemetry.ts';
import type {
  HanaCloudClient,
  HanaCloudOptions,
} from '../../../internal/systems/inventory/hana-cloud/client.ts';
import { type NetworkPath, openNetworkPath } from '../../environment/network-path.ts';
import { callOptions, hanaCloudOfFile, instance, mapping, parsed, thrownBy } from './set-up.ts';

const { simulator, closers, open: openHana } = hanaCloudOfFile();

async function open(options: Partial<HanaCloudOptions> = {}) {
  const hana = openHana(options);
  const client = hana.connect(parsed((await simulator.credentials(instance)).fields));
  closers.unshift(client.close);
  return { hana, client };
}

/** A call that shares no limits with others. */
const remove = (client: HanaCloudClient, signal = callOptions().signal) =>
  client.deleteMapping(instance, mapping, { ...callOptions(), signal });

describe('calls in flight', () => {
  test('never exceed the limit, tokens included', async () => {
    // Long beside what a busy machine needs to send eight requests.
    simulator.settings.latencyMs = 200;
    // The same for each host: on a slow machine a long call may no longer count among those of all.
    const { client } = await open({ maxCalls: 8, callsPerHost: 8 });
    await Promise.all(Array.from({ length: 60 }, () => remove(client)));
    expect(simulator.requests({ route: 'delete' })).toHaveLength(60);
    expect(simulator.maxInFlight()).toBeLessThanOrEqual(8);
    expect(simulator.maxInFlight()).toBeGreaterThan(5);
  });

  test('to one host never exceed its own slots, even if it is slow, and other hosts are called meanwhile', async () => {
    const { client } = await open({ maxCalls: 1, callsPerHost: 3, callTimeoutMs: 60_000 });
    await remove(client);
    simulator.faults.add({ on: { route: 'delete' }, do: { kind: 'hang' } });
    const controller = new AbortController();
    const stuck = Array.from({ length: 6 }, () => remove(client, controller.signal));
    const ends = Promise.allSettled(stuck);
    const hung = () => simulator.requests({ route: 'delete', outcome: 'hung' });
    await until(() => hung().length === 3);
    await expect(client.checkToken(callOptions())).resolves.toBeDefined();
    expect(hung()).toHaveLength(3);
    controller.abort(new Error('enough'));
    await ends;
  });
});

describe('connections', () => {
  test('are reused by all clients that share them', async () => {
    const { hana, client } = await open();
    for (let i = 0; i < 5; i++) await client.listMappings(instance, callOptions());
    const other = hana.connect(parsed((await simulator.credentials(instance)).fields));
    await other.listMappings(instance, callOptions());
    await other.close();
    await client.listMappings(instance, callOptions());
    // One, and a second where a call starts before the first connection is free again.
    expect(simulator.connections().api).toBeLessThanOrEqual(2);
    expect(simulator.connections().token).toBe(1);
  });

  test('with a client certificate belong to one client alone and end with it', async () => {
    const { hana } = await open();
    for (let i = 0; i < 2; i++) {
      const client = hana.connect(parsed((await simulator.credentials(instance)).x509));
      await client.listMappings(instance, callOptions());
      await client.close();
    }
    expect(simulator.connections()).toEqual({ api: 2, token: 0, certToken: 1 });
    await until(() => simulator.openConnections() === 0);
  });
});

describe('a host that swallows packets', () => {
  let hole: NetworkPath;
  beforeAll(async () => {
    // The TLS handshake does not complete.
    hole = await openNetworkPath();
  });
  afterAll(() => hole.close());

  test('is left alone after a few calls, and the others are served meanwhile', async () => {
    const { hana, client } = await open({ callTimeoutMs: 100 });
    const credentials = parsed((await simulator.credentials(instance)).fields);
    const dark = hana.connect({ ...credentials, baseUrl: `https://${hole.address}` });
    const first = await thrownBy(() => dark.listMappings(instance, callOptions()));
    expect(first).toMatchObject({ kind: 'transient' });
    await thrownBy(() => dark.listMappings(instance, callOptions()));
    const connections = hole.connections();
    const refused = await thrownBy(() => dark.createMapping(instance, mapping, callOptions()));
    if (!(refused instanceof ThrottledError)) throw refused;
    expect(refused.message).toMatch(
      /: host 127\.0\.0\.1:\d+ has not answered in time for 5 calls in a row .*\(circuit open\)$/,
    );
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    expect(hole.connections()).toBe(connections);
    await expect(client.listMappings(instance, callOptions())).resolves.toMatchObject({ state: 'listed' });
  });

  test('is given up on after the time for connecting, which is shorter than that for a call', async () => {
    const { metrics, counted } = recordingMetrics();
    const { hana } = await open({ metrics, connectTimeoutMs: 100, callTimeoutMs: 60_000 });
    const credentials = parsed((await simulator.credentials(instance)).fields);
    const dark = hana.connect({ ...credentials, tokenUrl: `https://${hole.address}/oauth/token` });
    const controller = new AbortController();
    const checking = thrownBy(() => dark.checkToken({ signal: controller.signal }));
    await until(() => counted.length > 0);
    controller.abort(new Error('enough'));
    await checking;
    expect(counted[0]).toMatchObject({ route: 'POST /oauth/token', code: 'connect_timeout' });
  });

  test('a response that never ends times out, and is retried where that is safe', async () => {
    const { client } = await open({ callTimeoutMs: 200 });
    await client.listMappings(instance, callOptions());
    simulator.faults.add({ on: { route: 'list', first: 1 }, do: { kind: 'hang' } });
    await expect(client.listMappings(instance, callOptions())).resolves.toMatchObject({ state: 'listed' });
    expect(simulator.requests({ route: 'list' }).map(({ outcome }) => outcome)).toEqual([
      'answered',
      'hung',
      'answered',
    ]);
  });
});

test('every call is counted and timed by route and code, without any ID', async () => {
  const { metrics, counted, timed } = recordingMetrics();
  const { client } = await open({ metrics, callTimeoutMs: 300 });
  await client.listMappings(instance, callOptions());
  await client.createMapping(instance, mapping, callOptions());
  simulator.faults.add({ on: { route: 'delete', first: 1 }, do: { kind: 'reset' } });
  await client.deleteMapping(instance, mapping, callOptions());
  simulator.faults.add({ on: { route: 'list', first: 1 }, do: { kind: 'hang' } });
  await client.listMappings(instance, callOptions());
  const path = '/inventory/v2/serviceInstances/{serviceInstanceID}/instanceMappings';
  const expected = [
    ['POST /oauth/token', '200'],
    [`GET ${path}`, '200'],
    [`POST ${path}`, '201'],
    [`DELETE ${path}`, 'connection_reset'],
    [`DELETE ${path}`, '204'],
    [`GET ${path}`, 'timeout'],
    [`GET ${path}`, '200'],
  ].map(([route, code]) => ({ system: 'hana-cloud', route, code }));
  expect(counted).toEqual(expected);
  expect(timed).toEqual(expected);
});

function recordingMetrics() {
  const counted: (Labels | undefined)[] = [];
  const timed: (Labels | undefined)[] = [];
  const metrics: Metrics = {
    ...nopMetrics,
    counter: () => ({ inc: (labels) => void counted.push(labels) }),
    histogram: () => ({ observe: (_value, labels) => void timed.push(labels) }),
  };
  return { metrics, counted, timed };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('a process that must not change anything any more', () => {
  const stopped = new FencedError('this replica does not lead');

  test('sends no create and no delete, once and not again, but still lists', async () => {
    let asked = 0;
    const fence = () => {
      asked++;
      throw stopped;
    };
    const { client } = await open();
    const write = { ...callOptions(), fence };
    simulator.store.addMapping(instance, mapping);
    await expect(client.listMappings(instance, callOptions())).resolves.toMatchObject({
      mappings: [mapping],
    });
    expect(asked).toBe(0);
    const another = { ...mapping, secondaryID: 'another' };
    await expect(client.createMapping(instance, another, write)).rejects.toThrow(
      `cannot create a mapping of instance ${instance}: this replica does not lead`,
    );
    await expect(client.deleteMapping(instance, mapping, write)).rejects.toThrow(stopped.message);
    expect(asked).toBe(2);
    expect(simulator.requests().map(({ route }) => route)).toEqual(['token', 'list']);
    expect(simulator.store.mappings(instance)).toEqual([mapping]);
  });

  test('is evaluated when the request is sent, not when it begins to wait for a slot', async () => {
    let leads = true;
    const fence = () => {
      if (!leads) throw stopped;
    };
    const { client } = await open({ maxCalls: 1 });
    await client.listMappings(instance, callOptions());
    simulator.faults.add({ on: { route: 'delete' }, do: { kind: 'hang' } });
    const release = new AbortController();
    const blocking = thrownBy(() => remove(client, release.signal));
    await until(() => simulator.requests({ route: 'delete', outcome: 'hung' }).length === 1);
    const create = thrownBy(() => client.createMapping(instance, mapping, { ...callOptions(), fence }));
    await new Promise((resolve) => setImmediate(resolve));
    leads = false;
    release.abort(new Error('enough'));
    await blocking;
    expect((await create).message).toContain(stopped.message);
    expect(simulator.store.mappings(instance)).toEqual([]);
  });
});
