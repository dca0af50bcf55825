import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import type { ObservedRequest } from '../../internal/framework/http/transport/send-request.ts';
import { createMemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import { secrets } from '../../internal/framework/kube/object/resource-type.ts';
import { type KubeWrite, missingPrecondition, writeOf } from './kube-writes.ts';

const type = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
const live = (manager: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', managedFields: [{ manager, operation: 'Apply' }] },
});

test.each<[string, Omit<KubeWrite, 'type'>, string | undefined]>([
  ['a creation', { verb: 'create' }, undefined],
  ['a deletion by name', { verb: 'delete' }, 'deletes deployments without a precondition'],
  ['a deletion by UID', { verb: 'delete', preconditions: { uid: '1' } }, undefined],
  ['a deletion of many', { verb: 'deletecollection' }, 'deletes a collection of deployments'],
  ['an update of a version', { verb: 'update', body: { metadata: { resourceVersion: '1' } } }, undefined],
  ['an update', { verb: 'update', body: { metadata: {} } }, 'updates deployments without a precondition'],
  [
    'a patch of the status',
    { verb: 'patch', subresource: 'status', body: { status: {} } },
    'patches deployments status without a precondition',
  ],
  ['a patch of a UID', { verb: 'patch', body: { metadata: { uid: '1' } } }, undefined],
  [
    'a JSON patch that tests the UID',
    { verb: 'patch', body: [{ op: 'test', path: '/metadata/uid' }] },
    undefined,
  ],
  [
    'a JSON patch that replaces it',
    { verb: 'patch', body: [{ op: 'replace', path: '/metadata/uid' }] },
    'patches deployments without a precondition',
  ],
  [
    'a JSON patch of a version',
    { verb: 'patch', body: [{ op: 'replace', path: '/metadata/resourceVersion' }] },
    undefined,
  ],
  ['a dry run', { verb: 'delete', dryRun: true }, undefined],
  ['an apply that creates', { verb: 'apply', fieldManager: 'me' }, undefined],
  ['an apply to its own object', { verb: 'apply', fieldManager: 'me', live: live('me') }, undefined],
  [
    'an apply to the object of another',
    { verb: 'apply', fieldManager: 'me', live: live('other') },
    'applies to deployments that it never applied',
  ],
])('%s', (_name, write, expected) => {
  expect(missingPrecondition({ ...write, type })).toBe(expected);
});

test.each<[string, Omit<ObservedRequest, 'url'>, string, string | undefined]>([
  ['a GET', { method: 'GET', headers: {} }, '/api/v1/namespaces/shop/secrets/a', undefined],
  ['a deletion', { method: 'DELETE', headers: {} }, '/api/v1/namespaces/shop/secrets/a', 'deletes secrets'],
  [
    'a deletion of all',
    { method: 'DELETE', headers: {} },
    '/api/v1/namespaces/shop/secrets',
    'deletes a collection',
  ],
  [
    'a deletion by UID',
    { method: 'DELETE', headers: {}, body: '{"preconditions":{"uid":"1"}}' },
    '/api/v1/namespaces/shop/secrets/a',
    undefined,
  ],
  [
    'a patch of the status',
    { method: 'PATCH', headers: {}, body: '{"status":{}}' },
    '/apis/apps/v1/namespaces/shop/deployments/a/status',
    'patches deployments status',
  ],
  ['another API', { method: 'DELETE', headers: {} }, '/v1/service_instances/a', undefined],
])('on real servers: %s', (_name, request, path, expected) => {
  const write = writeOf({ ...request, url: new URL(path, 'https://api.example') });
  expect(write && missingPrecondition(write)).toEqual(expected && expect.stringContaining(expected));
});

test('what a test writes itself is no violation', async () => {
  const client = createMemoryClient({ clock: createFakeClock() });
  const key = { namespace: 'shop', name: 'a' };
  client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key });
  await client.delete(secrets, key);
});
