import { describe, expect, test } from '@jest/globals';
import { ProviderError, WaitingError } from '../../../../framework/base/errors/errors.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { KubeApiError } from '../../../../framework/kube/errors/errors.ts';
import { createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import type { KubeObject } from '../../../../framework/kube/object/object.ts';
import { configMaps } from '../../../../framework/kube/object/resource-type.ts';
import type { HanaCloud, HanaCloudClient } from '../../hana-cloud/client.ts';
import { fakeHana } from '../mapping.fixture.ts';
import { createLastAccess } from './last-access.ts';

const access = { credentialsID: 'id', viewer: 'viewer', baseUrl: 'https://api.example.org' };
const gone = new WaitingError('Secret shop/admin not found');
const { signal } = new AbortController();

const resource = (namespace?: string): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Mapping',
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
  readonly noted?: HanaCloudClient['access'] | undefined;
}

function setup({ isTerminating = true, ...given }: Given = {}) {
  const client = createMemoryClient({ clock: createFakeClock() });
  client.onRequest(() => {
    if (isTerminating) throw terminating;
  });
  const noted = 'noted' in given ? given.noted : access;
  const { client: hana } = fakeHana({}, noted === undefined ? {} : { access: noted });
  const hanaCloud: Pick<HanaCloud, 'resume'> = { resume: (of) => (of === access ? hana : undefined) };
  const lastAccess = createLastAccess({ client, hanaCloud });
  return { lastAccess, hana, requests: client.requests };
}

describe('a mapping whose credentials were deleted', () => {
  test('has the client of its last token while its namespace is being deleted', async () => {
    const { lastAccess, hana, requests } = setup();
    lastAccess.note(resource('shop'), hana);
    expect(await lastAccess.afterwards(resource('shop'), gone, signal)).toEqual({
      isTerminating: true,
      hana,
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
    const { lastAccess, hana } = setup(options);
    lastAccess.note(resource(namespace), hana);
    expect(await lastAccess.afterwards(resource(namespace), error, signal)).toEqual({ isTerminating });
  });

  test('has none that this process never had; its namespace is known to be deleted', async () => {
    const { lastAccess } = setup();
    expect(await lastAccess.afterwards(resource('shop'), gone, signal)).toEqual({ isTerminating: true });
  });
});
