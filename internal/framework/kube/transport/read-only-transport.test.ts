import { expect, test } from '@jest/globals';
import { ReadOnlyError } from '../../base/concurrency/fence.ts';
import { findCause } from '../../base/errors/errors.ts';
import { systemClock } from '../../base/time/clock.ts';
import { createKubeClient } from '../client/rest-client.ts';
import { secrets } from '../object/resource-type.ts';
import { createReadOnlyTransport } from './read-only-transport.ts';
import type { Transport, TransportRequest } from './transport.ts';

const signal = new AbortController().signal;
const MAX_BYTES = 1000;
const requestOf = (method: TransportRequest['method'], path: string): TransportRequest => ({
  method,
  path,
  headers: {},
  signal,
});

/** What got through to the real transport. */
function recorded(): { inner: Transport; sent: string[] } {
  const sent: string[] = [];
  const answer = <B>({ method, path }: TransportRequest, body: B) => {
    sent.push(`${method} ${path}`);
    return { status: 200, header: () => undefined, body };
  };
  return {
    sent,
    inner: {
      host: 'test',
      call: async (request) => answer(request, '{"items":[]}'),
      open: async (request) => answer(request, (async function* () {})()),
      close: async () => undefined,
    },
  };
}

const writes = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

test('reads pass: gets, lists and watches', async () => {
  const { inner, sent } = recorded();
  const transport = createReadOnlyTransport(inner);
  await transport.call(requestOf('GET', '/api/v1/secrets'), MAX_BYTES);
  await transport.open(requestOf('GET', '/api/v1/secrets?watch=true'));
  expect(sent).toHaveLength(2);
});

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

test('reviews of access and of the own user pass, since they are questions that are not stored', async () => {
  const { inner, sent } = recorded();
  const transport = createReadOnlyTransport(inner);
  await transport.call(requestOf('POST', reviews), MAX_BYTES);
  await transport.call(requestOf('POST', reviews.replace('self', '')), MAX_BYTES);
  await transport.call(requestOf('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'), MAX_BYTES);
  expect(sent).toHaveLength(3);
});

test.each([
  ['PUT', reviews],
  ['DELETE', reviews],
  ['POST', `${reviews}/x`],
  ['POST', `${reviews}?x=y`],
  ['POST', reviews.replace('v1', 'v2')],
  ['POST', `/api/v1/namespaces/x/configmaps/..${reviews}`],
  ['POST', '/apis/authorization.k8s.io/v1/namespaces/x/localsubjectaccessreviews'],
  ['POST', '/api/v1/namespaces/x/serviceaccounts/y/token'],
] as const)('%s %s is none of them', async (method, path) => {
  const { inner, sent } = recorded();
  const transport = createReadOnlyTransport(inner);
  await expect(transport.call(requestOf(method, path), MAX_BYTES)).rejects.toBeInstanceOf(ReadOnlyError);
  expect(sent).toEqual([]);
});

test.each(writes)('%s passes as a dry run and not otherwise', async (method) => {
  const { inner, sent } = recorded();
  const transport = createReadOnlyTransport(inner);
  await transport.call(requestOf(method, '/api/v1/x?fieldManager=m&dryRun=All'), MAX_BYTES);
  const refused = [
    '/api/v1/x',
    '/api/v1/x?dryRun=',
    '/api/v1/x?dryRun=all',
    '/api/v1/x?dryRun=None',
    '/api/v1/x?dryrun=All',
    '/api/v1/x?dryRun=All&dryRun=None',
    '/api/v1/x?dryRun=None&dryRun=All',
    '/api/v1/dryRun=All',
    '/api/v1/x?name=a%26dryRun=All',
  ];
  for (const path of refused) {
    const request = requestOf(method, path);
    await expect(transport.call(request, MAX_BYTES)).rejects.toBeInstanceOf(ReadOnlyError);
    await expect(transport.open(request)).rejects.toBeInstanceOf(ReadOnlyError);
  }
  expect(sent).toEqual([`${method} /api/v1/x?fieldManager=m&dryRun=All`]);
});

test('every writing method of a client over it fails, and names what it was about; nothing is sent', async () => {
  const { inner, sent } = recorded();
  const client = createKubeClient({
    config: { server: 'https://test', credentials: async () => ({ headers: {} }) },
    clusterName: 'test cluster',
    clock: systemClock,
    transport: createReadOnlyTransport(inner),
  });
  const key = { namespace: 'shop', name: 'admin' };
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: key };
  const attempts = {
    create: () => client.create(secrets, object),
    update: () => client.update(secrets, object),
    updateStatus: () => client.updateStatus(secrets, object),
    mergePatch: () => client.mergePatch(secrets, key, {}),
    apply: () => client.apply(secrets, object, { fieldManager: 'm' }),
    createSubresource: () => client.createSubresource(secrets, key, 'token', {}),
    delete: () => client.delete(secrets, key),
  };
  for (const attempt of Object.values(attempts)) {
    const error = await attempt().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(findCause(error, ReadOnlyError)).toBeDefined();
    expect(String(error)).toContain('Secret shop/admin on test cluster');
  }
  expect(sent).toEqual([]);
});
