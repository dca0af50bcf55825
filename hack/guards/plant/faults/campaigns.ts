/** Faults that random actions find: edits that are not noticed, deletions that leave something, objects of others that are taken. */
import {
  BTP,
  type Fault,
  faultsOf,
  INVENTORY,
  insert,
  MANAGER,
  MOTHERSHIP,
  RECONCILER,
  remove,
  replace,
  replaceCall,
} from './fault.ts';

const SERVICES = 'test/campaign/btp';
const RUNTIMES = 'test/campaign/infrastructure-manager';
const MAPPINGS = 'test/campaign/inventory';
const CLUSTERS = 'test/campaign/reconciler';
const OPERATIONS = 'test/integration/reconciler/mothership/campaign';

export const CAMPAIGN_FAULTS: readonly Fault[] = [
  ...faultsOf('campaign', 'btp', BTP, [
    ['serviceinstance/reconciler.ts', 'repair', replaceCall('updateNeeded', 'false'), SERVICES],
    ['operations/delete-own.ts', 'deleteOwn', replaceCall('remove', "{ state: 'gone' }"), SERVICES],
    ['serviceinstance/reconciler.ts', 'repair', replaceCall('updateNeeded', 'true'), SERVICES],
  ]),
  ...faultsOf('campaign', 'infrastructure-manager', MANAGER, [
    ['runtime/deletion-of-runtime.ts', 'requestDeletion', replaceCall('ask', 'undefined'), RUNTIMES],
    ['runtime/ownership.ts', 'foreignShoot', replaceCall('isPermitted', 'true'), RUNTIMES],
    ['runtime/change-of-shoot.ts', 'put', replaceCall('ask', 'shoot'), RUNTIMES],
    // A move reaches new Runtimes alone.
    ['runtime/change-of-shoot.ts', 'comparisonOf', remove('metadata'), RUNTIMES],
    // A reload of the configuration reaches new Runtimes alone.
    ['runtime/change-of-shoot.ts', 'comparisonOf', remove('revision'), RUNTIMES],
  ]),
  ...faultsOf('campaign', 'inventory', INVENTORY, [
    ['mapping/mapping-client.ts', 'delete', replaceCall('deleteMapping', "'deleted'"), MAPPINGS],
    // An edit deletes the mapping that it describes, not the one before.
    ['mapping/mapping-client.ts', 'delete', replaceCall('identityToDelete', 'undefined'), MAPPINGS],
    [
      'mapping/mapping-client.ts',
      'observeToKeep',
      replaceCall('decideIdentity', "{ kind: 'same' }"),
      MAPPINGS,
    ],
  ]),
  ...faultsOf('campaign', 'reconciler', RECONCILER, [
    ['kyma-cluster.ts', 'createExternalClient', replaceCall('isForeign', 'false'), CLUSTERS],
    ['kyma-cluster.ts', 'createExternalClient', replaceCall('differenceOf', 'undefined'), CLUSTERS],
    ['kyma-cluster.ts', 'createExternalClient', replaceCall('deleteCluster', 'Promise.resolve()'), CLUSTERS],
  ]),
  ...faultsOf('campaign', 'mothership', MOTHERSHIP, [
    // A claim of a component with a limit does not count what runs.
    [
      'dispatch/claim-operations.ts',
      'claimLimited',
      replaceCall('min', 'Math.min(free, maxParallel)'),
      OPERATIONS,
    ],
    ['reconciliations/end-attempts.ts', 'markOrphans', insert('return 0;'), OPERATIONS],
    // What a component reconciler hands back waits for it, like what failed.
    ['reconciliations/end-attempts.ts', 'handedBack', replace('state', "'failed'"), OPERATIONS],
  ]),
];
