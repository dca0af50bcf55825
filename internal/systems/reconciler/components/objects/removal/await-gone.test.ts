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
async function reported(
  live: object,
  { uid = 'a', onRead = () => {} }: { uid?: string; onRead?: (cancel: AbortController) => void } = {},
): Promise<string | undefined> {
  const metadata = { name: 'shop', ...(uid === '' ? {} : { uid }) };
  const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata };
  const texts: string[] = [];
  const cancel = new AbortController();
  const get = async () => {
    onRead(cancel);
    return { ...object, ...live };
  };
  const isGone = await awaitGone([{ type: namespaces, key: { name: 'shop' }, object }], {
    cluster: uncountedCluster({ name: 'a', client: { get } as unknown as KubeClient } as ManagedCluster),
    clock: systemClock,
    log: nopLogger,
    signal: cancel.signal,
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

test('a namespace whose uid is not known is there whatever uid it has', async () => {
  const live = { metadata: { name: 'shop', uid: 'b' } };
  expect(await reported(live, { uid: '' })).toBe('Namespace shop (its deletion has not begun)');
});

test('a wait that is cancelled is none that has ended', async () => {
  const onRead = (cancel: AbortController) => cancel.abort(new Error('cancelled'));
  await expect(reported({}, { onRead })).rejects.toThrow('the attempt has ended');
});
