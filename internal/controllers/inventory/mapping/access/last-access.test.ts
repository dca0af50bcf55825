import { describe, expect, test } from '@jest/globals';
import { ProviderError, WaitingError } from '../../../../base/errors/errors.ts';
import { createFakeClock } from '../../../../base/time/fake-clock.ts';
import type { HanaCloud, HanaCloudClient } from '../../../../clients/hana-cloud/client.ts';
import { KubeApiError } from '../../../../kube/errors/errors.ts';
import { createMemoryClient } from '../../../../kube/fakes/memory-client.ts';
import type { KubeObject } from '../../../../kube/object/object.ts';
import { configMaps } from '../../../../kube/object/resource-type.ts';
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

/** As API servers answer to whatever is made in a namespace that is being deleted. */
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
  readonly ending?: boolean;
  readonly noted?: HanaCloudClient['access'] | undefined;
}

function setup({ ending = true, ...given }: Given = {}) {
  const client = createMemoryClient({ clock: createFakeClock() });
  client.onRequest(() => {
    if (ending) throw terminating;
  });
  const noted = 'noted' in given ? given.noted : access;
  const { client: hana } = fakeHana({}, noted === undefined ? {} : { access: noted });
  const hanaCloud: Pick<HanaCloud, 'resume'> = { resume: (of) => (of === access ? hana : undefined) };
  const lastAccess = createLastAccess({ client, hanaCloud });
  return { lastAccess, hana, requests: client.requests };
}

describe('a mapping whose credentials are gone', () => {
  test('has the client of its last token where its namespace is being deleted', async () => {
    const { lastAccess, hana, requests } = setup();
    lastAccess.note(resource('shop'), hana);
    expect(await lastAccess.afterwards(resource('shop'), gone, signal)).toBe(hana);
    expect(requests).toMatchObject([{ verb: 'create', type: configMaps }]);
  });

  test.each([
    { reason: 'its namespace stays', options: { ending: false }, namespace: 'shop', error: gone },
    { reason: 'it has no namespace', options: {}, namespace: undefined, error: gone },
    {
      reason: 'its credentials leave no token behind',
      options: { noted: undefined },
      namespace: 'shop',
      error: gone,
    },
    {
      reason: 'they are not gone, but refused',
      options: {},
      namespace: 'shop',
      error: new ProviderError('auth', 'refused'),
    },
  ])('has none where $reason', async ({ options, namespace, error }) => {
    const { lastAccess, hana } = setup(options);
    lastAccess.note(resource(namespace), hana);
    expect(await lastAccess.afterwards(resource(namespace), error, signal)).toBeUndefined();
  });

  test('has none that this process never saw', async () => {
    const { lastAccess } = setup();
    expect(await lastAccess.afterwards(resource('shop'), gone, signal)).toBeUndefined();
  });
});
