import { expect, test } from '@jest/globals';
import type { Seed } from '../../../../apis/gardener/kinds.ts';
import { usableRegions } from './gardener.ts';

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
