/** Which Secrets are requested when instances and bindings change. No controller runs. */
import { expect, test } from '@jest/globals';
import { nopLogger, nopMetrics } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { mergePatch } from '../../../framework/kube/apply/patches.ts';
import { createInformers } from '../../../framework/kube/cache/informers.ts';
import { inNamespaces } from '../../../framework/kube/cache/merged-informer.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { keyOf } from '../../../framework/kube/index.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { bindingsOf, instancesOf } from '../caches.ts';
import { serviceBindings } from '../servicebinding/resource.ts';
import { sampleBinding } from '../servicebinding/secret/secret.fixture.ts';
import { sampleInstance } from '../serviceinstance/fixtures/serviceinstance.fixture.ts';
import { serviceInstances } from '../serviceinstance/resource.ts';
import { addWatcher, credentialUse } from './watch-marks.ts';
import { watchedSecretKind } from './watched-secret-kind.ts';

const settings = { releaseNamespace: 'btp', managementNamespace: 'btp', namespaceSecrets: true };
const instance = sampleInstance({
  parametersFrom: ['parameters', 'unmarked'].map((name) => ({ secretKeyRef: { name, key: 'parameters' } })),
});
const binding = sampleBinding();

/** The sources on an API server in memory. */
async function setUp(namespaces?: readonly string[]) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const all = createInformers({ client, clock, log: nopLogger, metrics: nopMetrics });
  const informers = namespaces === undefined ? all : inNamespaces(all, namespaces);
  const kind = watchedSecretKind({ ...settings, ...(namespaces ? { namespaces } : {}) });
  const cache = kind.cache?.(informers);
  if (cache === undefined) throw new Error('the kind has a cache of its own');
  for (const informer of [cache, instancesOf(informers), bindingsOf(informers)]) informer.start();
  const requested: string[] = [];
  for (const source of kind.sources?.(informers, cache, () => informers) ?? [])
    source.start((key) => requested.push(key));
  /** The requests that a change causes. */
  const requestsOf = async (change: () => unknown) => {
    await change();
    await clock.advance(10);
    return requested.splice(0).sort();
  };
  const seed = (name: string, isMarked: boolean) => {
    const [namespace = '', secret = ''] = name.split('/');
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: secret } };
    const patch = addWatcher(object, credentialUse);
    client.seed(secrets, isMarked ? (mergePatch(object, patch) as typeof object) : object);
  };
  const { uid: _, generation: __, ...metadata } = instance.metadata;
  return {
    client,
    requestsOf,
    seed,
    createInstance: () => client.create(serviceInstances, { ...instance, metadata }),
  };
}

test.each([{ namespaces: undefined }, { namespaces: ['shop'] }])(
  'only Secrets with marks are requested: a Secret gets marks when it is used. Namespaces: $namespaces',
  async ({ namespaces }) => {
    const { client, requestsOf, seed, createInstance } = await setUp(namespaces);
    const credentials = ['btp/shop-sap-btp-service-operator', 'shop/sap-btp-service-operator'];
    for (const name of [...credentials, 'shop/parameters']) seed(name, true);
    for (const name of ['shop/unmarked', 'shop/sap-btp-service-operator-tls']) seed(name, false);
    await requestsOf(() => undefined);

    const all = [...credentials, 'shop/parameters'].sort();
    expect(await requestsOf(createInstance)).toEqual(all);
    expect(await requestsOf(() => client.create(serviceBindings, binding))).toEqual(credentials);
    expect(await requestsOf(() => client.delete(serviceBindings, keyOf(binding)))).toEqual(credentials);
    expect(await requestsOf(() => client.delete(serviceInstances, keyOf(instance)))).toEqual(all);
  },
);

test('an instance that is given other credentials requests both Secrets', async () => {
  const { client, requestsOf, seed, createInstance } = await setUp();
  for (const name of ['shop/sap-btp-service-operator', 'btp/special']) seed(name, true);
  await requestsOf(createInstance);
  const patch = { spec: { btpAccessCredentialsSecret: 'special' } };
  expect(await requestsOf(() => client.mergePatch(serviceInstances, keyOf(instance), patch))).toEqual([
    'btp/special',
    'shop/sap-btp-service-operator',
  ]);
});
