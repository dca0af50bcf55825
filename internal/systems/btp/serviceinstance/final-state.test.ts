import { describe, expect, test } from '@jest/globals';
import { writeConditions } from '../status/conditions.ts';
import type { Reason } from '../status/messages.ts';
import { isFinal, shareAction, updateNeeded } from './decisions.ts';
import { sampleInstance } from './fixtures/serviceinstance.fixture.ts';
import { setShared } from './instance-run.ts';
import type { ServiceInstance } from './resource.ts';
import { contentHash, specHash } from './spec-hash.ts';

/** Created and up to date. */
function settled(change: (instance: ServiceInstance) => void = () => undefined): ServiceInstance {
  const instance = sampleInstance();
  writeConditions(instance, 0).succeeded('create');
  instance.status = { conditions: [], ...instance.status, hashedSpec: specHash(instance.spec) };
  change(instance);
  return instance;
}

const changed =
  (spec: Partial<ServiceInstance['spec']>, generation = 3) =>
  (instance: ServiceInstance) => {
    instance.spec = { ...instance.spec, ...spec };
    instance.metadata.generation = generation;
  };

const show = (instance: ServiceInstance, isShared: boolean, reason: Reason) =>
  setShared(instance, { isShared, reason, message: '' }, 0);

const shared = (instance: ServiceInstance, isShared: boolean) =>
  show(instance, isShared, isShared ? 'ShareSucceeded' : 'UnShareSucceeded');

describe('[B58] an instance is not in its final state', () => {
  test.each<{ reason: string; change: (instance: ServiceInstance) => void }>([
    { reason: 'its generation was not observed', change: changed({}, 4) },
    {
      reason: 'the last operation failed',
      change: (instance) => writeConditions(instance, 0).requestFailed('update', ''),
    },
    {
      reason: 'an operation of an older generation is polled',
      change: (instance) => {
        instance.status = { conditions: [], ...instance.status, operationURL: '/v1/x' };
        instance.metadata.generation = 4;
      },
    },
    {
      reason: 'an operation of its generation is polled',
      change: (instance) => {
        instance.status = { conditions: [], ...instance.status, operationURL: '/v1/x' };
      },
    },
    {
      reason: 'an operation is in progress',
      change: (instance) => writeConditions(instance, 0).inProgress('update'),
    },
    {
      reason: 'the spec changed',
      change: (instance) => {
        instance.spec.servicePlanName = 'broker';
        instance.metadata.generation = 4;
      },
    },
    { reason: 'it has no status', change: (instance) => delete instance.status },
    {
      reason: 'its conditions are lost',
      change: (instance) => {
        instance.status = { ...instance.status, conditions: [] };
      },
    },
    { reason: 'what Service Manager has is not known', change: (instance) => accepted(instance, 'unknown') },
    { reason: 'it must be shared', change: changed({ shared: true }) },
    { reason: 'it must not be shared any more', change: (instance) => shared(instance, true) },
    {
      reason: 'an update was requested',
      change: (instance) => {
        instance.status = { conditions: [], ...instance.status, forceReconcile: true };
      },
    },
  ])('$reason', ({ change }) => {
    expect(isFinal(settled(change))).toBe(false);
  });
});

describe('[B59] an instance is in its final state', () => {
  test.each<{ reason: string; change: (instance: ServiceInstance) => void }>([
    { reason: 'ready, and not to be shared', change: () => undefined },
    {
      reason: 'shared as the spec says',
      change: (instance) => {
        instance.spec.shared = true;
        shared(instance, true);
      },
    },
    { reason: 'unshared again', change: (instance) => shared(instance, false) },
  ])('$reason', ({ change }) => {
    expect(isFinal(settled(change))).toBe(true);
  });
});

const accepted = (instance: ServiceInstance, acceptedSpec = contentHash(instance)) => {
  instance.status = { conditions: [], ...instance.status, acceptedSpec };
};

describe('whether an update is needed', () => {
  test.each<{ reason: string; needed: boolean; parameters?: boolean; change?: (i: ServiceInstance) => void }>(
    [
      { reason: 'nothing changed', needed: false },
      { reason: 'it was never created', needed: false, change: (instance) => delete instance.status },
      {
        reason: 'nothing changed, and its conditions are lost',
        needed: false,
        change: (instance) => {
          instance.status = { ...instance.status, conditions: [] };
        },
      },
      { reason: 'the spec changed', needed: true, change: changed({ externalName: 'other' }) },
      { reason: 'only shared changed', needed: false, change: changed({ shared: true }) },
      { reason: 'a watched Secret changed', needed: true, parameters: true },
      {
        reason: 'the last update failed, and its hash was stored before, as by the operator of SAP',
        needed: true,
        change: (instance) => writeConditions(instance, 0).requestFailed('update', ''),
      },
      {
        reason: 'the last update was throttled, and its hash was stored before',
        needed: true,
        change: (instance) => writeConditions(instance, 0).inProgress('update'),
      },
      {
        reason: 'the last update failed, and the edit is taken back, by another user',
        needed: false,
        change: (instance) => {
          accepted(instance);
          instance.spec.userInfo = { username: 'other' };
          writeConditions(instance, 0).requestFailed('update', '');
        },
      },
      {
        reason: 'the last update had no result',
        needed: true,
        change: (instance) => {
          accepted(instance, 'unknown');
          writeConditions(instance, 0).requestFailed('update', '');
        },
      },
      {
        reason: 'it never became ready',
        needed: false,
        parameters: true,
        change: (instance) => {
          instance.status = { ...instance.status, conditions: [], ready: 'False', hashedSpec: '' };
        },
      },
      {
        reason: 'it was requested',
        needed: true,
        change: (instance) => {
          instance.status = { conditions: [], ...instance.status, forceReconcile: true };
        },
      },
    ],
  )('$reason: $needed', ({ needed, parameters = false, change }) => {
    expect(updateNeeded(settled(change), parameters)).toBe(needed);
  });
});

test('a plan without sharing is not asked again, and an instance that is not ready is not shared', () => {
  const refused = settled((instance) => {
    instance.spec.shared = true;
    show(instance, false, 'ShareNotSupported');
  });
  expect(shareAction(refused)).toBeUndefined();
  expect(shareAction(sampleInstance({ shared: true }, { ready: 'False' }))).toBeUndefined();
});

test('a failed share is repeated, and a failed unshare too', () => {
  const failed = settled((instance) => {
    instance.spec.shared = true;
    show(instance, false, 'ShareFailed');
  });
  expect(shareAction(failed)).toBe('share');
  const kept = settled((instance) => show(instance, true, 'UnShareFailed'));
  expect(shareAction(kept)).toBe('unshare');
});
