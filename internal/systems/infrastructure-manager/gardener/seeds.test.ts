import { describe, expect, test } from '@jest/globals';
import type { Seed } from '../../../../apis/gardener/kinds.ts';
import type { KubeClient } from '../../../framework/kube/index.ts';
import { createSeedRegions, usableRegions } from './gardener.ts';

const spec = {
  provider: { type: 'aws', region: 'eu-central-1' },
  dns: {},
  networks: { pods: '192.168.64.0/18', services: '192.168.128.0/18' },
  settings: { scheduling: { visible: true } },
};
const lastUpdateTime = '2024-01-01T00:00:00Z';
const condition = {
  status: 'True',
  lastTransitionTime: lastUpdateTime,
  lastUpdateTime,
  reason: 'Ready',
  message: '',
};
const status = {
  lastOperation: { type: 'Reconcile', state: 'Succeeded', progress: 100, description: '', lastUpdateTime },
  conditions: [
    { type: 'GardenletReady', ...condition },
    { type: 'BackupBucketsReady', ...condition },
  ],
};
const seed = (name: string, more: Partial<Seed> = {}): Seed => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Seed',
  metadata: { name },
  spec,
  ...more,
});
const usable = seed('one', { status });
const { settings: _s, ...withoutSettings } = spec;
const { lastOperation: _o, ...neverReconciled } = status;
const deletionTimestamp = '2024-01-01T00:00:00Z';

test('regions of usable seeds are listed once', () => {
  expect(usableRegions([usable, usable, seed('two')], 'aws')).toEqual(['eu-central-1']);
});

test.each<{ because: string; found: Seed }>([
  {
    because: 'of another provider',
    found: { ...usable, spec: { ...spec, provider: { ...spec.provider, type: 'gcp' } } },
  },
  { because: 'being deleted', found: { ...usable, metadata: { ...usable.metadata, deletionTimestamp } } },
  {
    because: 'not visible',
    found: { ...usable, spec: { ...spec, settings: { scheduling: { visible: false } } } },
  },
  { because: 'without settings', found: { ...usable, spec: withoutSettings } },
  { because: 'not reconciled yet', found: { ...usable, status: neverReconciled } },
  { because: 'without a gardenlet', found: { ...usable, status: { ...status, conditions: [] } } },
  {
    because: 'without backup buckets although it has backups',
    found: {
      ...usable,
      spec: { ...spec, backup: { provider: 'aws', secretRef: { name: 'backup' } } },
      status: {
        ...status,
        conditions: status.conditions.filter(({ type }) => type === 'GardenletReady'),
      },
    },
  },
])('a seed $because takes no Shoot', ({ found }) => {
  expect(usableRegions([found], 'aws')).toEqual([]);
});

describe('the region of a seed', () => {
  const never = new AbortController().signal;

  /** Seeds whose requests end by `answer`, or with the signal they get. */
  function regions() {
    const requests: PromiseWithResolvers<Seed>[] = [];
    const get = (_type: unknown, _key: unknown, { signal }: { signal: AbortSignal }) => {
      const request = Promise.withResolvers<Seed>();
      signal.addEventListener('abort', () => request.reject(signal.reason), { once: true });
      requests.push(request);
      return request.promise;
    };
    return { ...createSeedRegions({ client: { get } as unknown as KubeClient }), requests };
  }
  const started = () => new Promise((resolve) => setImmediate(resolve));

  test('is requested once, also by Runtimes that ask at the same time', async () => {
    const { of, requests } = regions();
    const asked = [of('one', { signal: never }), of('one', { signal: never })];
    await started();
    requests[0]?.resolve(usable);
    expect(await Promise.all(asked)).toEqual(['eu-central-1', 'eu-central-1']);
    expect(await of('one', { signal: never })).toBe('eu-central-1');
    expect(requests).toHaveLength(1);
  });

  test('is requested again after a failure', async () => {
    const { of, requests } = regions();
    const failed = of('one', { signal: never });
    await started();
    requests[0]?.reject(new Error('no answer'));
    await expect(failed).rejects.toThrow('no answer');
    const again = of('one', { signal: never });
    await started();
    requests[1]?.resolve(usable);
    expect(await again).toBe('eu-central-1');
  });

  test('comes although the Runtime that asked first was abandoned', async () => {
    const { of, requests } = regions();
    const first = new AbortController();
    const abandoned = of('one', { signal: first.signal });
    const other = of('one', { signal: never });
    await started();
    first.abort(new Error('reconcile of kcp-system/first took too long'));
    await expect(abandoned).rejects.toThrow('took too long');
    requests.at(-1)?.resolve(usable);
    expect(await other).toBe('eu-central-1');
  });

  test('makes no Runtime wait beyond its own deadline', async () => {
    const { of } = regions();
    const slow = of('one', { signal: never });
    const second = new AbortController();
    const waiting = of('one', { signal: second.signal });
    await started();
    second.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
    slow.catch(() => undefined);
  });
});
