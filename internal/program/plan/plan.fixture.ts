import { type Plan, type PlanEntry, planOf } from './plan.ts';

const entry = (name: string, more: Partial<PlanEntry>): PlanEntry => ({
  apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
  kind: 'KymaInstanceMapping',
  name,
  source: 'mappings.yaml:1',
  action: 'nothing',
  reason: 'it is as asked for',
  steps: [],
  external: [],
  object: [],
  writes: [],
  notes: [],
  ...more,
});

const id = '2f4b7a3e-7c1d-4b52-9c57-5f0f3c1f6d10';

/** The example in the documentation. */
export const creation: Plan = planOf([
  entry('shop', {
    action: 'create',
    reason: 'it does not exist',
    steps: ['create'],
    externalName: `${id}/c-1a2b3c4d/shop`,
    external: [
      { path: 'isDefault', to: false },
      { path: 'platform', to: 'kubernetes' },
      { path: 'primaryID', to: 'c-1a2b3c4d' },
      { path: 'secondaryID', to: 'shop' },
      { path: 'serviceInstanceID', to: id },
    ],
  }),
]);

/** One entry of each action. */
export const everything: Plan = planOf([
  ...creation.entries,
  entry('orders', {
    source: 'mappings.yaml:14',
    action: 'update',
    reason: 'isDefault is true, should be false',
    steps: ['delete', 'create'],
    externalName: 'i-2/c-1/orders',
    external: [{ path: 'isDefault', from: true, to: false }],
    object: [
      { path: 'metadata.labels.team', to: 'blue' },
      { path: 'spec.deletionPolicy', from: 'Orphan' },
      { path: 'spec.forProvider.isDefault', from: true, to: false },
    ],
  }),
  entry('billing', {
    kind: 'InstanceMapping',
    namespace: 'team-a',
    source: 'cluster',
    action: 'delete',
    reason: 'the resource is being deleted',
    steps: ['delete'],
    externalName: 'i-3/cloudfoundry/org',
    external: [{ path: 'primaryID', from: 'org' }],
  }),
  entry('taken-over', {
    source: 'cluster',
    reason: 'it exists as asked for and would be adopted',
    writes: ['delete Secret crossplane-system/taken-over-admin-creds'],
    notes: ['not checked by a dry run: the cluster does not know the kind'],
  }),
  entry('early', {
    source: 'stdin:3',
    action: 'unknown',
    problem: 'waiting',
    reason: 'ConfigMap kyma-system/sap-btp-operator-config not found (on the management cluster)',
  }),
]);
