import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { UnprovenAbsenceError } from '../../ownership/ownership.ts';
import { KubeApiError } from '../errors/errors.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import { secrets } from '../object/resource-type.ts';
import { getIfExists } from './client.ts';

const key = { namespace: 'kcp-system', name: 'one' };
const attempt = { verb: 'get', object: 'Secret kcp-system/one', clusterName: 'the cluster' };

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

test('a kind that is not served proves nothing, since its objects may exist', async () => {
  const client = start(true);
  client.onRequest(() => {
    throw new KubeApiError(attempt, { httpStatus: 404 });
  });
  await expect(getIfExists(client, secrets, key)).rejects.toThrow(UnprovenAbsenceError);
});

test('a 404 that is not about the object is an error, as the client says', async () => {
  const client = start(true);
  const error = new KubeApiError(attempt, { httpStatus: 404, isForeign: true });
  client.onRequest(() => {
    throw error;
  });
  await expect(getIfExists(client, secrets, key)).rejects.toBe(error);
});
