/** Triggers that are dropped: sources of kinds, and objects that a resource waits for. */
import {
  BTP,
  dropTrigger,
  type Fault,
  faultsOf,
  INVENTORY,
  MANAGED,
  MANAGER,
  RECONCILER,
  remove,
} from './fault.ts';

const TESTS = 'test/triggers';

export const TRIGGER_FAULTS: readonly Fault[] = [
  ...faultsOf('triggers', 'btp', BTP, [
    ['servicebinding/kind.ts', 'sources', dropTrigger('ofInstances'), TESTS],
    ['servicebinding/kind.ts', 'sources', dropTrigger('toDeletedInstances'), TESTS],
    ['serviceinstance/kind.ts', 'sources', dropTrigger('watchedSecretsOf'), TESTS],
    ['watched-secrets/watched-secret-kind.ts', 'sources', dropTrigger('bindingsOf'), TESTS],
    ['parameters/read-parameters.ts', '*', remove('targets'), TESTS],
  ]),
  ...faultsOf('triggers', 'infrastructure-manager', MANAGER, [
    ['runtime/kind.ts', 'sources', dropTrigger('authenticationConfigs'), TESTS],
    ['runtime/kind.ts', 'sources', dropTrigger('configurationChanges'), TESTS],
    ['gardenercluster/kind.ts', 'sources', dropTrigger('refusals'), TESTS],
    ['registrycache/kind.ts', 'sources', dropTrigger('ofEvents'), TESTS],
  ]),
  ...faultsOf('triggers', 'inventory', INVENTORY, [
    ['kymainstancemapping/kyma-instance-mapping.ts', 'kymaInstanceMappingKind', remove('sources'), TESTS],
    ['instancemapping/instance-mapping.ts', 'instanceMappingKind', remove('sources'), TESTS],
    ['input/connection-problem.ts', '*', dropTrigger('inputs'), TESTS],
  ]),
  ...faultsOf('triggers', 'reconciler', RECONCILER, [
    ['kubeconfig.ts', 'readKubeconfig', remove('targets'), TESTS],
    ['kyma-cluster.ts', 'observe', remove('targets'), TESTS],
    ['access.ts', 'onSecret', { kind: 'replace-call', call: 'push', value: '0' }, TESTS],
  ]),
  ...faultsOf('triggers', 'managed', MANAGED, [
    ['reconciled-kind.ts', 'sources', dropTrigger('configUse'), TESTS],
    ['reconciled-kind.ts', 'sources', dropTrigger('kind'), TESTS],
    ['providerconfig/config-kind.ts', 'sources', dropTrigger('usedConfigs'), TESTS],
  ]),
];
