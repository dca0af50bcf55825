import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { type ServiceHarness, startServiceHarness } from '../fixtures/service-harness.fixture.ts';
import { finalizer } from '../metadata.ts';
import { serviceBindings } from '../servicebinding/resource.ts';
import { sampleBinding } from '../servicebinding/secret/secret.fixture.ts';
import { sampleInstance } from '../serviceinstance/fixtures/serviceinstance.fixture.ts';
import { type ServiceInstance, serviceInstances } from '../serviceinstance/resource.ts';
import { addWatcher } from './watch-marks.ts';
import { watchedSecretKind } from './watched-secret-kind.ts';
import { createMarkCredentials } from './watched-secrets.ts';

const settings = { releaseNamespace: 'btp', managementNamespace: 'btp', namespaceSecrets: true };
const own = { namespace: 'shop', name: 'sap-btp-service-operator' };
const signal = new AbortController().signal;

/** The controller of watched Secrets; instances and bindings are only objects. */
let h: ServiceHarness<ServiceInstance>;
let logged: string[];
let mark: (key: typeof own) => Promise<void>;
beforeEach(async () => {
  h = await startServiceHarness({
    type: serviceInstances,
    name: 'orders',
    kinds: (options, build, common) => [build(watchedSecretKind(options.credentials), common)],
  });
  logged = [];
  const log = { ...nopLogger, error: (message: string) => void logged.push(message) };
  const markCredentials = createMarkCredentials({ client: h.client, settings, log });
  mark = async (key) => {
    await markCredentials([await h.client.get(secrets, key)], signal);
    await h.wait(10);
  };
});
afterEach(() => h.stop());

const seed = (key: typeof own) =>
  h.client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { ...key, labels: { team: 'a' } } });
const stored = (key: typeof own) => h.client.peek(secrets, key);
const expectUnmarked = () => {
  const { labels, annotations, finalizers } = stored(own)?.metadata ?? {};
  expect({ labels, annotations, finalizers }).toEqual({ labels: { team: 'a' } });
};
const remove = async (key: typeof own) => {
  await h.client.delete(secrets, key);
  await h.wait(10);
};
async function used(key: typeof own, spec: Partial<ServiceInstance['spec']> = {}): Promise<void> {
  await h.apply(sampleInstance(spec));
  seed(key);
  await mark(key);
  expect(stored(key)?.metadata.finalizers).toEqual([finalizer]);
}

describe('a Secret with credentials that is deleted', () => {
  test.each([
    { reason: 'in the namespace of the instance', key: own, spec: {} },
    {
      reason: 'for the namespace, in the management namespace',
      key: { namespace: 'btp', name: 'shop-sap-btp-service-operator' },
      spec: {},
    },
    {
      reason: 'that the instance names',
      key: { namespace: 'btp', name: 'special' },
      spec: { btpAccessCredentialsSecret: 'special' },
    },
    {
      reason: 'with the certificate',
      key: { namespace: 'shop', name: 'sap-btp-service-operator-tls' },
      spec: {},
    },
  ])('[B12.2] stays until the last instance is gone: $reason', async ({ key, spec }) => {
    await used(key, spec);
    await remove(key);
    await h.wait(600_000);
    expect(stored(key)).toBeDefined();
    expect(h.recorder.lines()).toEqual([
      'Warning InUse: the Secret is deleted when no ServiceInstance and no ServiceBinding needs its credentials any more',
    ]);
    await h.delete();
    expect(stored(key)).toBeUndefined();
  });

  test('stays until the last binding is gone, also in another namespace and without its instance', async () => {
    await used(own);
    const key = { namespace: 'office', name: 'orders-db' };
    const binding = sampleBinding({ serviceInstanceNamespace: 'shop' }, key);
    await h.client.create(serviceBindings, binding);
    await remove(own);
    await h.delete();
    expect(stored(own)).toBeDefined();
    await h.client.delete(serviceBindings, key);
    await h.wait(10);
    expect(stored(own)).toBeUndefined();
  });

  test('does not stay for an instance with other credentials', async () => {
    await used(own);
    await h.patch({ spec: { btpAccessCredentialsSecret: 'special' } });
    expectUnmarked();
    await remove(own);
    expect(stored(own)).toBeUndefined();
  });

  test('stays also if an instance reads parameters from it', async () => {
    await used(own);
    const secret = await h.client.get(secrets, own);
    await h.client.mergePatch(secrets, own, addWatcher(secret, h.stored()?.metadata.uid ?? ''));
    await remove(own);
    expect(stored(own)).toBeDefined();
    await h.delete();
    expect(stored(own)).toBeUndefined();
  });
});

test('a Secret that is no longer needed loses the marks and keeps what others added', async () => {
  await used(own);
  await h.delete();
  expectUnmarked();
});

describe('a Secret with credentials is not marked', () => {
  const unmarked = async (key: typeof own) => {
    const { resourceVersion } = stored(key)?.metadata ?? {};
    await mark(key);
    expect(stored(key)?.metadata).toMatchObject({ resourceVersion, labels: { team: 'a' } });
  };

  test.each(['sap-btp-service-operator', 'sap-btp-service-operator-tls'])(
    'if it is the default of the cluster: %s',
    async (name) => {
      const key = { namespace: 'btp', name };
      seed(key);
      await unmarked(key);
    },
  );

  test('if it is being deleted', async () => {
    const metadata = { ...own, labels: { team: 'a' }, finalizers: ['team/keep'] };
    h.client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata });
    await h.client.delete(secrets, own);
    await unmarked(own);
  });

  test('if the API server denies it, which is logged once', async () => {
    seed(own);
    h.client.onRequest(({ verb }) => {
      if (verb === 'patch') throw apiError(403, 'Forbidden');
    });
    await unmarked(own);
    await unmarked(own);
    expect(logged).toEqual(['cannot keep a Secret with credentials until it is no longer needed']);
  });
});

test('reconciles that mark a Secret at the same time all succeed', async () => {
  await h.apply(sampleInstance());
  seed(own);
  await Promise.all(Array.from({ length: 20 }, () => mark(own)));
  expect(stored(own)?.metadata.finalizers).toEqual([finalizer]);
});
