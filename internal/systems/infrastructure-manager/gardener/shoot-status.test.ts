import { expect, test } from '@jest/globals';
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { codesOf, describeErrors, isMoreThanProgress, isRetryable } from './gardener.ts';

const errors = (...codes: string[]) => codes.map((code) => ({ description: code, codes: [code] }));

const PASSING = [
  'ERR_RETRYABLE_CONFIGURATION_PROBLEM',
  'ERR_CONFIGURATION_PROBLEM',
  'ERR_RETRYABLE_INFRA_DEPENDENCIES',
  'ERR_INFRA_RATE_LIMITS_EXCEEDED',
  'ERR_INFRA_QUOTA_EXCEEDED',
  'ERR_PROBLEMATIC_WEBHOOK',
  'ERR_INFRA_DEPENDENCIES',
];

test('[I53] [I54] each error that may pass is retryable, and so is one that is not known', () => {
  for (const code of [...PASSING, 'ERR_NEW']) expect([code, isRetryable(errors(code))]).toEqual([code, true]);
  expect(isRetryable([{ description: 'no code' }])).toBe(true);
});

test('[I55] [I56] refused credentials or rights are terminal, also among errors that may pass', () => {
  expect(isRetryable(errors('ERR_INFRA_UNAUTHENTICATED', 'ERR_INFRA_UNAUTHORIZED'))).toBe(false);
  for (const code of ['ERR_INFRA_UNAUTHENTICATED', 'ERR_INFRA_UNAUTHORIZED'])
    expect(isRetryable(errors(...PASSING, code))).toBe(false);
});

test('[I57] no errors are not retryable', () => {
  expect([isRetryable([]), isRetryable(undefined)]).toEqual([false, false]);
});

test('[I58] descriptions are numbered', () => {
  const described = [{ description: 'First description' }, { description: 'Second description' }];
  expect(describeErrors(described)).toBe('1) First description 2) Second description ');
});

test('codes are listed once', () => {
  expect(codesOf(errors('A', 'B', 'A'))).toEqual(['A', 'B']);
});

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
