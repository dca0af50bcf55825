import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../../framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../../../framework/base/time/clock.ts';
import type { KubeClient } from '../../../../../framework/kube/client/client.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import { namespaces } from '../../../../../framework/kube/object/resource-type.ts';
import { uncountedCluster } from '../../clusters/uncounted-cluster.ts';
import type { ManagedCluster } from '../../model/component.ts';
import { describeAwaited } from '../readiness/await-ready.ts';
import { awaitGone } from './await-gone.ts';

/** What is reported of a namespace that stays as it is. */
async function reported(live: object): Promise<string | undefined> {
  const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', uid: 'a' } };
  const texts: string[] = [];
  const get = async () => ({ ...object, ...live });
  const isGone = await awaitGone([{ type: namespaces, key: { name: 'shop' }, object }], {
    cluster: uncountedCluster({ name: 'a', client: { get } as unknown as KubeClient } as ManagedCluster),
    clock: systemClock,
    log: nopLogger,
    signal: new AbortController().signal,
    intervalMs: 1,
    timeoutMs: 0,
    onProgress: (awaited) => texts.push(describeAwaited(awaited)),
  });
  return isGone ? 'gone' : texts[0];
}

const deleted = { name: 'shop', uid: 'a', deletionTimestamp: '2024-01-01T00:00:00Z' };

test.each<[title: string, live: object, text: string]>([
  ['whose deletion has not begun', {}, 'Namespace shop (its deletion has not begun)'],
  [
    'with content that has finalizers',
    {
      metadata: deleted,
      spec: { finalizers: ['kubernetes'] },
      status: {
        conditions: [
          { type: 'NamespaceFinalizersRemaining', status: 'True', message: 'example.org/f in 1 instance' },
        ],
      },
    },
    'Namespace shop (example.org/f in 1 instance)',
  ],
  [
    'with finalizers of its own',
    { metadata: { ...deleted, finalizers: ['example.org/f'] }, spec: { finalizers: ['kubernetes'] } },
    'Namespace shop (finalizers: example.org/f, kubernetes)',
  ],
  [
    'with very long finalizers',
    { metadata: { ...deleted, finalizers: ['f'.repeat(5000)] } },
    `Namespace shop (finalizers: ${'f'.repeat(1011)}…)`,
  ],
  ['that another one has replaced', { metadata: { name: 'shop', uid: 'b' } }, 'gone'],
])('a namespace %s', async (_title, live, text) => {
  expect(await reported(live)).toBe(text);
});
