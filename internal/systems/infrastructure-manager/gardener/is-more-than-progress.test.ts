import { expect, test } from '@jest/globals';
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { isMoreThanProgress } from './is-more-than-progress.ts';

type Operation = NonNullable<NonNullable<Shoot['status']>['lastOperation']>;

const shootWith = (operation: Partial<Operation>, metadata: Partial<Shoot['metadata']> = {}): Shoot =>
  ({
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Shoot',
    metadata: { name: 'one', namespace: 'garden-kyma', resourceVersion: '1', ...metadata },
    status: {
      lastOperation: {
        ...{ type: 'Create', state: 'Processing', progress: 1, description: 'Creating' },
        lastUpdateTime: '2026-01-01T00:00:00Z',
        ...operation,
      },
    },
  }) as Shoot;

test.each<[why: string, changed: Shoot, isMore: boolean]>([
  [
    'progress',
    shootWith({ progress: 2, lastUpdateTime: '2026-01-01T00:00:01Z' }, { resourceVersion: '2' }),
    false,
  ],
  ['state', shootWith({ state: 'Succeeded' }), true],
  ['description, which may say that no seed fits', shootWith({ description: 'none' }), true],
  ['annotation', shootWith({}, { annotations: { a: 'b' } }), true],
  ['deletion', shootWith({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), true],
])('a change of %s is reconciled: %#', (_, changed, isMore) => {
  expect(isMoreThanProgress(shootWith({}), changed)).toBe(isMore);
});

test('the first operation is more than progress', () => {
  const { status: _, ...without } = shootWith({});
  expect(isMoreThanProgress(without as Shoot, shootWith({}))).toBe(true);
});
