import { expect, test } from '@jest/globals';
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { authorityChangedAt, namesProblem, slimShoot } from './gardener.ts';

/** A Shoot with this status. */
const shootWith = (status: object): Shoot =>
  ({
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Shoot',
    metadata: { name: 'a', namespace: 'garden-p', managedFields: [{ manager: 'x' }] },
    spec: { region: 'eu-central-1' },
    status,
  }) as unknown as Shoot;

test('of megabytes of errors only a few texts are in memory', () => {
  const error = {
    description: 'e'.repeat(10_000),
    codes: [...Array(10).fill('ERR_INFRA_QUOTA_EXCEEDED'), ...Array(1000).fill('c'.repeat(10_000))],
  };
  const slim = slimShoot(
    shootWith({
      observedGeneration: 3,
      lastOperation: { type: 'Create', state: 'Error', description: 'd'.repeat(2_000_000) },
      lastErrors: Array(1000).fill(error),
      conditions: Array(1000).fill({ type: 'x', message: 'm'.repeat(1000) }),
    }),
  );
  expect(JSON.stringify(slim).length).toBeLessThan(75_000);
  expect(slim.status).toMatchObject({
    observedGeneration: 3,
    lastOperation: { type: 'Create', state: 'Error' },
  });
  expect(slim.status?.lastErrors?.[0]?.codes).toContain('ERR_INFRA_QUOTA_EXCEEDED');
  expect(slim.metadata).toEqual({ name: 'a', namespace: 'garden-p' });
});

test('what is in memory of a Shoot does not grow with managedFields, nor with what others write into its status', () => {
  const status = { observedGeneration: 3, technicalID: 'shoot--p--a', uid: 'u', hibernated: false };
  const sizeOf = (items: number) => {
    const many = (item: object) => Array.from({ length: items }, () => item);
    const shoot = shootWith({
      ...status,
      gardener: { id: 'i', name: 'gardenlet', version: '1.117.5' },
      conditions: many({ type: 'x', message: 'm'.repeat(1000) }),
      constraints: many({ type: 'y', message: 'm'.repeat(1000) }),
      advertisedAddresses: many({ name: 'external', url: 'https://api.example.org' }),
      encryptedResources: many({ name: 'secrets' }),
      networking: { nodes: many({ cidr: '10.0.0.0/16' }) },
      credentials: { rotation: many({ phase: 'Prepared' }) },
      clusterIdentity: 'c'.repeat(items),
    });
    shoot.metadata.managedFields = many({
      manager: 'gardenlet',
      fieldsV1: { 'f:status': { 'f:conditions': {} } },
    });
    return JSON.stringify(slimShoot(shoot)).length;
  };
  expect(sizeOf(10_000)).toBe(sizeOf(0));
});

test.each([
  ['a'.repeat(17), false],
  ['a'.repeat(18), true],
])('project and Shoot have 21 characters together: kyma and %s', (name, isProblem) => {
  expect(namesProblem({ project: 'kyma' }, name) !== undefined).toBe(isProblem);
});

test('the authority of certificates changed when its rotation took its last step', () => {
  const changedAt = (phase: string, times: object) =>
    authorityChangedAt(
      shootWith({ credentials: { rotation: { certificateAuthorities: { phase, ...times } } } }),
    );
  const times = {
    lastInitiationTime: '2024-01-01T00:00:00Z',
    lastInitiationFinishedTime: '2024-01-03T00:00:00Z',
    lastCompletionTime: '2023-06-01T00:00:00Z',
  };
  expect(changedAt('Prepared', times)).toBe(Date.UTC(2024, 0, 3));
  expect(changedAt('Completed', { ...times, lastCompletionTime: '2024-01-05T00:00:00Z' })).toBe(
    Date.UTC(2024, 0, 5),
  );
  expect(changedAt('Preparing', times)).toBe(0);
});
