import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/index.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { apiError, createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  type ResourceType,
} from '../../../../framework/kube/index.ts';
import { uncountedCluster } from '../clusters/uncounted-cluster.ts';
import type { ActionContext, ManagedCluster } from '../model/component.ts';
import { cleaner } from './cleaner.ts';

const widgetsAt = (version: string): ResourceType => ({
  ...{ group: 'example.org', version, kind: 'Widget', plural: 'widgets', namespaced: true },
});

test.each([
  { title: 'is served', stored: true, used: 'v2' },
  { title: 'is not served any more', stored: false, used: 'v1' },
])('custom resources lose their finalizers, also if the version that is stored $title', async (given) => {
  const client = createMemoryClient({ clock: createFakeClock() });
  const versions = [
    { name: 'v1', served: true, storage: false },
    { name: 'v2', served: given.stored, storage: true },
  ];
  const names = { kind: 'Widget', plural: 'widgets' };
  client.seed(customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.org' },
    spec: { group: 'example.org', scope: 'Namespaced', names, versions },
  } as CustomResourceDefinition);
  const type = widgetsAt(given.used);
  client.seed(type, {
    apiVersion: `example.org/${given.used}`,
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'shop', finalizers: ['example.org/gone'] },
  });
  client.onRequest(({ verb, type: { plural, version } }) => {
    if (plural === 'widgets' && version !== given.used) throw apiError(404, 'NotFound', verb);
  });
  await cleaner.delete?.({
    cluster: uncountedCluster({ client, name: 'c' } as unknown as ManagedCluster),
    signal: new AbortController().signal,
    clock: createFakeClock(),
    log: nopLogger,
    progress: () => undefined,
    configuration: { delete_strategy: 'all' },
    task: { component: 'cleaner' },
  } as unknown as ActionContext);
  expect(client.peek(type, { namespace: 'shop', name: 'w' })?.metadata.finalizers ?? []).toEqual([]);
});
