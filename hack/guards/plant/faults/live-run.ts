import {
  BTP,
  type Fault,
  faultsOf,
  INVENTORY,
  MANAGED,
  MANAGER,
  RECONCILER,
  remove,
  removeCall,
  replace,
  replaceCall,
} from './fault.ts';

const unguarded = removeCall('assertMayWrite');
const CLUSTER_CLIENT = 'kyma-cluster.ts';
const CLUSTER_TEST = 'kyma-cluster';
const MAPPINGS = 'test/campaign/inventory';

export const LIVE_RUN_FAULTS: readonly Fault[] = [
  ...faultsOf('live-run', 'btp', BTP, [
    ['operations/run.ts', 'writeOptions', remove('fence'), 'serviceinstance/reconciler.create'],
    ['operations/run.ts', 'writeOptions', replace('fence', 'undefined'), 'servicebinding/reconciler.create'],
    [
      'operations/delete-own.ts',
      '*',
      replaceCall('writeOptions', '{ signal: run.context.signal, userInfo: undefined }'),
      'serviceinstance/reconciler.delete',
    ],
  ]),
  ...faultsOf('live-run', 'infrastructure-manager', MANAGER, [
    ['runtime/runtime-to-ready.ts', '*', unguarded, 'runtime/kind'],
    ['runtime/change-of-shoot.ts', '*', unguarded, 'runtime/changes'],
    ['runtime/cluster/access.ts', '*', unguarded, 'runtime/cluster/cluster.test'],
  ]),
  ...faultsOf('live-run', 'reconciler', RECONCILER, [
    [CLUSTER_CLIENT, '*', remove('fence'), CLUSTER_TEST],
    [CLUSTER_CLIENT, '*', replace('fence', 'undefined'), CLUSTER_TEST],
    [
      CLUSTER_CLIENT,
      '*',
      replaceCall('deleteCluster', 'mothership.deleteCluster(runtimeIDOf(resource), { signal })'),
      CLUSTER_TEST,
    ],
  ]),
  ...faultsOf('live-run', 'inventory', INVENTORY, [
    ['mapping/mapping-client.ts', 'create', remove('fence'), MAPPINGS],
    ['mapping/mapping-client.ts', 'delete', remove('fence'), MAPPINGS],
    ['mapping/mapping-client.ts', '*', replace('fence', 'undefined'), MAPPINGS],
  ]),
  ...faultsOf('live-run', 'managed', MANAGED, [
    ['steps/external-calls.ts', 'write', unguarded, 'scenarios/create.test'],
    ['reconciled-kind.ts', '*', replace('assertMayWrite', '() => undefined'), 'scenarios/update.test'],
    ['steps/external-calls.ts', 'write', replaceCall('assertMayWrite', 'void 0'), 'scenarios/delete.test'],
  ]),
  // Of all kinds: an event about another object.
  ...faultsOf('live-run', 'managed', 'internal/framework', [
    [
      'controller/reconcile/store-status.ts',
      'createObjectEvents',
      replaceCall('object', "{ ...object(), metadata: { ...object().metadata, name: 'other' } }"),
      'managed/scenarios/create.test',
    ],
  ]),
];
