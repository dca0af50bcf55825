import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { apiError, createMemoryClient, type MemoryRequest } from '../../kube/fakes/memory-client.ts';
import type { Secret } from '../../kube/object/object.ts';
import { secrets } from '../../kube/object/resource-type.ts';
import { clusterWidgets, namespacedWidgets, widget } from '../fakes/managed-harness.ts';
import { connectionSecretType, createSecretPublisher } from './secret-publisher.ts';

const key = { namespace: 'shop', name: 'out' };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const scopes = [
  { scope: 'Cluster', type: clusterWidgets, ref: key },
  { scope: 'Namespaced', type: namespacedWidgets, ref: { name: 'out' } },
];
const boom = new Error('boom');

function setup(
  type = namespacedWidgets,
  ref: { name: string; namespace?: string } | undefined = { name: 'out' },
) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const resource = widget(type, ref === undefined ? {} : { spec: { writeConnectionSecretToRef: ref } });
  const publisher = createSecretPublisher({ client, clock });
  const publish = async (details: Record<string, string>) => {
    const publishing = publisher.publish(resource, details, new AbortController().signal);
    publishing.catch(() => undefined);
    await clock.advance(100);
    return publishing;
  };
  const seed = (parts: Partial<Secret>) =>
    client.seed<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      ...parts,
      metadata: { ...key, ...parts.metadata },
    });
  const fail = (verb: MemoryRequest['verb'], error: Error, times = Number.POSITIVE_INFINITY) => {
    let left = times;
    client.onRequest((request) => {
      if (request.verb === verb && left-- > 0) throw error;
    });
  };
  const owner = (uid = 'uid-w', controller = true) => ({
    apiVersion: resource.apiVersion,
    kind: 'Widget',
    name: 'w',
    uid,
    controller,
    blockOwnerDeletion: true,
  });
  const stored = () => client.peek(secrets, key);
  return { client, publisher, resource, publish, seed, fail, owner, stored };
}

describe.each(scopes)('connection Secret of a $scope resource', ({ type, ref }) => {
  test('[109] [113] no reference: nothing is published', async () => {
    const { client, resource, publisher } = setup(type);
    delete resource.spec.writeConnectionSecretToRef;
    expect(await publisher.publish(resource, { a: '1' }, new AbortController().signal)).toBe(false);
    expect(client.requests).toEqual([]);
  });

  test('[110] [114] an error has the prefix that users know', async () => {
    const { publish, fail } = setup(type, ref);
    fail('create', boom);
    await expect(publish({ a: '1' })).rejects.toThrow('cannot create or update connection secret: boom');
  });

  test('[111] [115] what is there already is not written', async () => {
    const { client, publish } = setup(type, ref);
    await publish({ a: '1' });
    expect(await publish({ a: '1' })).toBe(false);
    expect(client.requests.map((r) => r.verb)).toEqual(['get', 'create', 'get']);
  });

  test('[112] [116] the Secret holds exactly the details and is owned by the resource', async () => {
    const { publish, stored, owner } = setup(type, ref);
    expect(await publish({ user: 'me', password: 'geheim' })).toBe(true);
    expect(stored()).toMatchObject({
      type: connectionSecretType,
      metadata: { ...key, ownerReferences: [owner()] },
      data: { user: base64('me'), password: base64('geheim') },
    });
  });
});

describe('whose Secret it is', () => {
  test.each([
    {
      title: '[225] of the connection type and without owner: adopted',
      parts: () => ({ type: connectionSecretType }),
      problem: undefined,
    },
    {
      title: 'with the details, of the connection type and without owner: adopted',
      parts: () => ({ type: connectionSecretType, data: { theirs: base64('x'), a: base64('1') } }),
      problem: undefined,
    },
    {
      title: '[226] ours, whatever its type',
      parts: (h: ReturnType<typeof setup>) => ({
        type: 'Opaque',
        metadata: { ...key, ownerReferences: [h.owner()] },
      }),
      problem: undefined,
    },
    {
      title: "[227] another one's",
      parts: (h: ReturnType<typeof setup>) => ({
        type: connectionSecretType,
        metadata: { ...key, ownerReferences: [h.owner('uid-other')] },
      }),
      problem: 'existing secret is not controlled by UID "uid-w"',
    },
    {
      title: '[228] of another type and without owner: refused',
      parts: () => ({ type: 'Opaque' }),
      problem: 'refusing to modify uncontrolled secret of type "Opaque"',
    },
  ])('$title', async ({ parts, problem }) => {
    const h = setup();
    h.seed({ data: { theirs: base64('x') }, ...parts(h) });
    const outcome = h.publish({ a: '1' });
    if (problem !== undefined) {
      await expect(outcome).rejects.toThrow(problem);
      expect(h.stored()?.data).toEqual({ theirs: base64('x') });
      return;
    }
    expect(await outcome).toBe(true);
    expect(h.stored()).toMatchObject({
      data: { theirs: base64('x'), a: base64('1') },
      metadata: { ownerReferences: [h.owner()] },
    });
  });
});

describe('applying', () => {
  test('[232] the GET fails', async () => {
    const { publish, fail } = setup();
    fail('get', boom);
    await expect(publish({})).rejects.toThrow('boom');
  });

  test('[233] the CREATE fails', async () => {
    const { publish, fail } = setup();
    fail('create', boom);
    await expect(publish({})).rejects.toThrow('boom');
  });

  test('[234] a Secret that must not be touched is not written', async () => {
    const { client, publish, seed } = setup();
    seed({ type: 'Opaque' });
    await expect(publish({ a: '1' })).rejects.toThrow('refusing');
    expect(client.requests.every((r) => r.verb === 'get')).toBe(true);
  });

  test('[235] the write fails', async () => {
    const { publish, seed, fail } = setup();
    seed({ type: connectionSecretType });
    fail('patch', boom);
    await expect(publish({ a: '1' })).rejects.toThrow('boom');
  });

  test('[236] a Secret is created even without details', async () => {
    const { publish, stored } = setup();
    expect(await publish({})).toBe(true);
    expect(stored()).toMatchObject({ type: connectionSecretType });
    expect(stored()).not.toHaveProperty('data');
  });

  test('[237] keys are added and overwritten, never removed', async () => {
    const { publish, stored } = setup();
    await publish({ a: '1', b: '1' });
    expect(await publish({ b: '2', c: '2' })).toBe(true);
    expect(stored()?.data).toEqual({ a: base64('1'), b: base64('2'), c: base64('2') });
  });

  test('a client that knows some of the keys causes no write', async () => {
    const { client, publish } = setup();
    await publish({ a: '1', b: '1' });
    expect(await publish({ a: '1' })).toBe(false);
    expect(client.requests.filter((r) => r.verb !== 'get')).toHaveLength(1);
  });

  test('[242] an error that is no answer of the API server is not repeated', async () => {
    const { client, publish, fail } = setup();
    fail('get', boom);
    await expect(publish({})).rejects.toThrow('boom');
    expect(client.requests).toHaveLength(1);
  });

  test('[243] an answer of the API server that is an error is repeated four times', async () => {
    const { client, publish, fail } = setup();
    fail('get', apiError(500, 'InternalError'));
    await expect(publish({})).rejects.toThrow('InternalError');
    expect(client.requests).toHaveLength(5);
  });

  test('[244] a repetition that helps', async () => {
    const { publish, seed, fail } = setup();
    seed({ type: connectionSecretType });
    fail('patch', apiError(409, 'Conflict'), 2);
    expect(await publish({ a: '1' })).toBe(true);
  });

  test('a namespaced resource publishes in its own namespace, whatever its reference names', async () => {
    const { client, publish, stored } = setup(namespacedWidgets, { name: 'out', namespace: 'elsewhere' });
    await publish({ a: '1' });
    expect(stored()?.data).toEqual({ a: base64('1') });
    expect(client.peek(secrets, { ...key, namespace: 'elsewhere' })).toBeUndefined();
  });

  test('binary values are kept as they are', async () => {
    const { publisher, resource, stored } = setup();
    await publisher.publish(resource, { key: new Uint8Array([0, 255]) }, new AbortController().signal);
    expect(stored()?.data?.key).toBe('AP8=');
  });

  test('a legacy reference without a namespace is an error that only the user can fix', async () => {
    const { publisher, resource } = setup(clusterWidgets);
    await expect(publisher.publish(resource, {}, new AbortController().signal)).rejects.toMatchObject({
      kind: 'terminal',
    });
  });
});

test('credentials of the usual length are published, and published again when they are rotated', async () => {
  const { publish, stored } = setup();
  for (const password of ['correct-horse-battery', 'battery-horse-correct']) {
    await publish({ password });
    expect(stored()?.data).toEqual({ password: base64(password) });
  }
});
