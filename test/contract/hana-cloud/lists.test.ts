/** What reconciles share of one instance's list, counted by HANA Cloud. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type {
  HanaCloud,
  HanaCloudClient,
  ListOptions,
} from '../../../internal/systems/inventory/hana-cloud/client.ts';
import { callOptions, hanaCloudOfFile, instance, mapping, parsed } from './set-up.ts';

const { simulator, closers, open } = hanaCloudOfFile();
let hana: HanaCloud;
beforeEach(() => {
  hana = open();
});

type Form = 'fields' | 'x509';

/** As for one reconcile after the other: clients of the same credentials. */
async function clientsOf(form: Form): Promise<() => HanaCloudClient> {
  const credentials = parsed((await simulator.credentials(instance))[form]);
  return () => {
    const client = hana.connect(credentials);
    closers.unshift(client.close);
    return client;
  };
}

const count = () => simulator.requests({ route: 'list' }).length;
const list = (client: HanaCloudClient, options: Partial<ListOptions> = {}) =>
  client.listMappings(instance, { ...callOptions(), ...options });
const isEnough = () => true;

describe.each(['fields', 'x509'] as const)('a list (credentials in the form %s)', (form) => {
  test('is requested once by concurrent callers', async () => {
    simulator.settings.latencyMs = 50;
    const connect = await clientsOf(form);
    await Promise.all(Array.from({ length: 20 }, () => list(connect())));
    expect(count()).toBe(1);
  });

  test('serves callers that accept an earlier one, and no others', async () => {
    const connect = await clientsOf(form);
    await list(connect());
    for (let i = 0; i < 5; i++) await list(connect(), { isEnough });
    expect(count()).toBe(1);
    await list(connect(), { isEnough: ({ mappings }) => mappings.length > 0 });
    await list(connect());
    expect(count()).toBe(3);
  });

  test('is requested again after every write that happened or may have happened', async () => {
    const connect = await clientsOf(form);
    await list(connect());
    await connect().createMapping(instance, mapping, callOptions());
    expect((await list(connect(), { isEnough })).mappings).toEqual([mapping]);
    await connect().deleteMapping(instance, mapping, callOptions());
    expect((await list(connect(), { isEnough })).mappings).toEqual([]);
    const lost = simulator.faults.add({
      on: { route: 'create' },
      do: { kind: 'reset', when: 'after' },
    });
    await expect(connect().createMapping(instance, mapping, callOptions())).rejects.toThrow();
    lost.remove();
    expect((await list(connect(), { isEnough })).mappings).toEqual([mapping]);
    expect(count()).toBe(4);
  });

  test('goes on for the others when the caller that began it aborts', async () => {
    simulator.settings.latencyMs = 100;
    const connect = await clientsOf(form);
    const leaving = new AbortController();
    const beginner = connect();
    const first = list(beginner, { signal: leaving.signal });
    const second = list(connect());
    leaving.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    await beginner.close();
    expect((await second).mappings).toEqual([]);
  });
});

test('is never shared with other credentials for the same instance', async () => {
  const [one, other] = [await clientsOf('fields'), await clientsOf('x509')];
  simulator.settings.latencyMs = 50;
  await Promise.all([list(one()), list(other())]);
  await Promise.all([list(one(), { isEnough }), list(other(), { isEnough })]);
  expect(count()).toBe(2);
});
