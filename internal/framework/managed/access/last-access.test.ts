import { describe, expect, test } from '@jest/globals';
import { ProviderError, WaitingError } from '../../base/errors/errors.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import type { SessionAccess } from '../../http/session/api-sessions.ts';
import { KubeApiError } from '../../kube/errors/errors.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { configMaps } from '../../kube/object/resource-type.ts';
import { createLastAccess } from './last-access.ts';

const access: SessionAccess = { credentialsID: 'id', baseUrl: 'https://api.example.org' };
const session = { of: 'the last token' };
const gone = new WaitingError('Secret shop/admin not found');
const { signal } = new AbortController();

const resource = (namespace?: string): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Bucket',
  metadata: { name: 'a', uid: 'uid-a', ...(namespace === undefined ? {} : { namespace }) },
});

/** The API server's error for creates in a namespace that is being deleted. */
const terminating = new KubeApiError(
  { verb: 'create', object: 'ConfigMap shop/probe', clusterName: 'memory cluster' },
  {
    httpStatus: 403,
    status: {
      code: 403,
      reason: 'Forbidden',
      message: 'unable to create new content in namespace shop because it is being terminated',
      details: {
        causes: [{ reason: 'NamespaceTerminating', message: 'namespace shop is being terminated' }],
      },
    },
  },
);

interface Given {
  readonly isTerminating?: boolean;
  readonly noted?: SessionAccess | undefined;
}

function setup({ isTerminating = true, ...given }: Given = {}) {
  const client = createMemoryClient({ clock: createFakeClock() });
  client.onRequest(() => {
    if (isTerminating) throw terminating;
  });
  const noted = 'noted' in given ? given.noted : access;
  const resume = (of: SessionAccess) => (of === access ? session : undefined);
  const lastAccess = createLastAccess({ client, resume });
  return { lastAccess, noted, requests: client.requests };
}

describe('a resource whose credentials were deleted', () => {
  test('has the client of its last token while its namespace is being deleted', async () => {
    const { lastAccess, noted, requests } = setup();
    lastAccess.note(resource('shop'), noted);
    expect(await lastAccess.afterwards(resource('shop'), gone, signal)).toEqual({
      isTerminating: true,
      client: session,
    });
    expect(requests).toMatchObject([{ verb: 'create', type: configMaps }]);
  });

  test.each([
    { reason: 'its namespace stays', options: { isTerminating: false }, namespace: 'shop', error: gone },
    { reason: 'it has no namespace', options: {}, namespace: undefined, error: gone },
    {
      reason: 'there is no token of its credentials',
      options: { noted: undefined },
      namespace: 'shop',
      error: gone,
      isTerminating: true,
    },
    {
      reason: 'the credentials are refused, not deleted',
      options: {},
      namespace: 'shop',
      error: new ProviderError('auth', 'refused'),
    },
  ])('has none if $reason', async ({ options, namespace, error, isTerminating = false }) => {
    const { lastAccess, noted } = setup(options);
    lastAccess.note(resource(namespace), noted);
    expect(await lastAccess.afterwards(resource(namespace), error, signal)).toEqual({ isTerminating });
  });

  test('has none once its later credentials gave no token that can be resumed', async () => {
    const { lastAccess } = setup();
    lastAccess.note(resource('shop'), access);
    lastAccess.note(resource('shop'), undefined);
    expect(await lastAccess.afterwards(resource('shop'), gone, signal)).toEqual({ isTerminating: true });
  });

  test('has none that this process never had; its namespace is known to be deleted', async () => {
    const { lastAccess } = setup();
    expect(await lastAccess.afterwards(resource('shop'), gone, signal)).toEqual({ isTerminating: true });
  });
});
