import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import { configMaps, type KubeClient } from '../../../../framework/kube/index.ts';
import { uncountedCluster } from '../clusters/uncounted-cluster.ts';
import type { ActionContext, ManagedCluster } from '../model/component.ts';
import { LABEL_COMPONENT } from '../objects/interceptors.ts';
import { deleteObject, domainOf } from './objects.ts';

const key = { namespace: 'kyma-system', name: 'registry' };

function setUp(labels: Readonly<Record<string, string>>) {
  const client = createMemoryClient({ clock: createFakeClock() });
  client.seed(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, labels } });
  const context = {
    cluster: uncountedCluster({ client } as unknown as ManagedCluster),
    signal: new AbortController().signal,
    task: { component: 'serverless' },
  } as unknown as ActionContext;
  return { client, context, isThere: () => client.peek(configMaps, key) !== undefined };
}

test.each<[string, Readonly<Record<string, string>>, isDeleted: boolean]>([
  ['of the component', { [LABEL_COMPONENT]: 'serverless' }, true],
  ['without a label, as those of the Go program', {}, true],
  ['that another component has deployed', { [LABEL_COMPONENT]: 'registry-proxy' }, false],
])('an object %s is deleted by its name, or stays', async (_, labels, isDeleted) => {
  const { context, isThere } = setUp(labels);
  expect(await deleteObject(context, configMaps, key)).toBe(isDeleted);
  expect(isThere()).toBe(!isDeleted);
  expect(await deleteObject(context, configMaps, key)).toBe(false);
});

test('what removes Kyma as a whole deletes objects of all components', async () => {
  const { context, isThere } = setUp({ [LABEL_COMPONENT]: 'registry-proxy' });
  expect(await deleteObject(context, configMaps, key, 'anyone')).toBe(true);
  expect(isThere()).toBe(false);
});

test.each(['api.kyma.example.com', 'api.kyma.example.com:6443', 'kyma.example.com'])(
  'the domain of a cluster has neither the name of its API server nor a port: %s',
  (host) => {
    expect(domainOf(host)).toBe('kyma.example.com');
  },
);

test('an object that follows under the name in the meantime stays', async () => {
  const { client, context, isThere } = setUp({});
  const getMetadata: KubeClient['getMetadata'] = async (type, at) => {
    const read = await client.getMetadata(type, at);
    await client.otherProgram().delete(type, at);
    client.seed(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key } });
    return read;
  };
  const cluster = uncountedCluster({ ...context.cluster, client: { ...client, getMetadata } });
  const raced = { ...context, cluster };
  expect(await deleteObject(raced, configMaps, key)).toBe(false);
  expect(isThere()).toBe(true);
});
