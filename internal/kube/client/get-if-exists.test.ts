import { expect, test } from '@jest/globals';
import { UnprovenAbsenceError } from '../../base/ownership/absence.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { KubeApiError } from '../errors/errors.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import { secrets } from '../object/resource-type.ts';
import { getIfExists } from './get-if-exists.ts';

const key = { namespace: 'kcp-system', name: 'one' };
const attempt = { verb: 'get', object: 'Secret kcp-system/one', clusterName: 'the cluster' };
const status = (details: { readonly name?: string; readonly kind?: string }, reason = 'NotFound') =>
  new KubeApiError(attempt, { httpStatus: 404, status: { message: 'no', reason, code: 404, details } });

function start(stored: boolean) {
  const client = createMemoryClient({ clock: createFakeClock() });
  if (stored) client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key });
  return client;
}

test('an object that the API server names as missing does not exist: one request', async () => {
  const client = start(false);
  expect(await getIfExists(client, secrets, key)).toBeUndefined();
  expect(client.requests.map(({ verb }) => verb)).toEqual(['get']);
});

test.each([
  ['of a gateway', new KubeApiError(attempt, { httpStatus: 404 })],
  ['about another object', status({ name: 'two', kind: 'secrets' })],
  ['about another kind', status({ name: 'one', kind: 'namespaces' })],
  ['without a name', status({})],
  ['of another reason', status({ name: 'one', kind: 'secrets' }, 'NotReady')],
])('a 404 %s proves nothing: a list decides', async (_what, error) => {
  for (const stored of [true, false]) {
    const client = start(stored);
    client.onRequest(({ verb }) => {
      if (verb === 'get') throw error;
    });
    expect((await getIfExists(client, secrets, key))?.metadata.name).toBe(stored ? 'one' : undefined);
  }
  const client = start(true);
  client.onRequest(() => {
    throw new KubeApiError(attempt, { httpStatus: 404 });
  });
  await expect(getIfExists(client, secrets, key)).rejects.toThrow(UnprovenAbsenceError);
});
