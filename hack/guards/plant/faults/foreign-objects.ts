import {
  BTP,
  COMPONENTS,
  type Fault,
  faultsOf,
  INVENTORY,
  insert,
  MANAGED,
  MANAGER,
  MOTHERSHIP,
  remove,
  replace,
  replaceCall,
} from './fault.ts';

const MIGRATION = 'kymainstancemapping/migration';
const MOTHERSHIP_TESTS = 'test/integration/reconciler/mothership';
const DEPLOYER = 'objects/deploy/deployer.test';

export const FOREIGN_OBJECT_FAULTS: readonly Fault[] = [
  ...faultsOf('foreign-objects', 'btp', BTP, [
    [
      'servicebinding/secret/secret-store.ts',
      'deleteSecret',
      remove('preconditions'),
      'servicebinding/secret/secret-store.test',
    ],
    [
      'servicebinding/secret/secret-store.ts',
      'store',
      remove('preconditions'),
      'servicebinding/secret/secret-store.test',
    ],
    [
      'servicebinding/rotation/expire.ts',
      'expire',
      remove('preconditions'),
      'servicebinding/rotation/expire.test',
    ],
  ]),
  ...faultsOf('foreign-objects', 'infrastructure-manager', MANAGER, [
    ['runtime/deletion-of-runtime.ts', 'requestDeletion', remove('preconditions'), 'runtime/kind'],
    ['runtime/deletion-of-runtime.ts', 'confirmDeletion', remove('uid'), 'runtime/kind'],
    [
      'runtime/cluster/runtime-cluster.ts',
      'deleteOwn',
      remove('preconditions'),
      'runtime/cluster/cluster.test',
    ],
    // By a prefix of the name, on Gardener's real API server.
    [
      'runtime/shoot-of-runtime.ts',
      'deleteAuthenticationConfig',
      insert(
        "for (const { metadata } of authenticationConfigInformer(run.context.informersAt(run.gardener.cluster), run.gardener).list()) if (metadata.name.startsWith(authenticationConfigName(shootNameOf(run.object) ?? ''))) await run.gardener.client.delete(configMaps, { namespace: metadata.namespace ?? '', name: metadata.name }, { ...run.context, preconditions: { uid: metadata.uid ?? '' } });",
      ),
      'test/integration/infrastructure-manager/runtime-life',
    ],
    // Without a look at whose they are, on the real API server of a runtime cluster.
    [
      'runtime/cluster/access.ts',
      'applyBindings',
      replaceCall('ownOf', 'await listOfUsers(cluster, clusterRoleBindings, { labelSelector })'),
      'test/integration/infrastructure-manager/runtime-life',
    ],
  ]),
  ...faultsOf('foreign-objects', 'inventory', INVENTORY, [
    [`${MIGRATION}/migrate-from-go.ts`, 'remove', remove('preconditions'), MIGRATION],
    [
      `${MIGRATION}/migrate-from-go.ts`,
      'removeChild',
      replaceCall('remove', 'client.delete(instanceMappings, keyOf(current), { signal })'),
      MIGRATION,
    ],
    [`${MIGRATION}/migrate-from-go.ts`, 'remove', replace('preconditions', '{}'), MIGRATION],
  ]),
  ...faultsOf('foreign-objects', 'components', COMPONENTS, [
    ['objects/removal/delete-object.ts', 'deleteObject', remove('preconditions'), DEPLOYER],
    ['objects/inventory.ts', 'writeInventoryObject', remove('resourceVersion'), DEPLOYER],
    ['objects/removal/remove-namespace.ts', '*', remove('preconditions'), DEPLOYER],
    // By a label, in other namespaces too, on a real API server.
    [
      'objects/removal/prune.ts',
      'prune',
      insert(
        "const copied = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true }; const found = await target.cluster.client.list(copied, { labelSelector: 'reconciler.kyma-project.io/component=' + target.component, signal }); for (const { metadata } of found.items) if (metadata.namespace !== target.namespace) await target.cluster.client.delete(copied, metadata, { signal, preconditions: { uid: metadata.uid ?? '' } });",
      ),
      'test/integration/reconciler/components/deploy.test',
    ],
  ]),
  // On Postgres.
  ...faultsOf('foreign-objects', 'mothership', MOTHERSHIP, [
    [
      'inventory/create-inventory.ts',
      'removeCluster',
      replaceCall('where', "tx.deleteFrom('runtimes')"),
      `${MOTHERSHIP_TESTS}/reconciliations.test`,
    ],
    [
      'reconciliations/continue-reconciliations.ts',
      'close',
      insert(
        "await tx.updateTable('reconciliations').set({ rank: 0 }).where('finished', '=', false).execute();",
      ),
      `${MOTHERSHIP_TESTS}/reconciliations.test`,
    ],
    [
      'reconciliations/end-attempts.ts',
      'changeOperations',
      // By the correlation id alone.
      insert(
        "for (const { correlationId } of changes) await queries.updateTable('operations').set({ debug: false }).where('correlation_id', '=', correlationId).execute();",
      ),
      `${MOTHERSHIP_TESTS}/reconciliations.test`,
    ],
  ]),
  ...faultsOf('foreign-objects', 'managed', MANAGED, [
    ['connection/secret-publisher.ts', 'apply', remove('resourceVersion'), 'connection'],
    ['connection/secret-publisher.ts', 'apply', replace('metadata', '{ ownerReferences }'), 'connection'],
    [
      'connection/secret-publisher.ts',
      'apply',
      replaceCall('mergePatch', 'client.delete(secrets, key, { signal })'),
      'connection',
    ],
    // Secrets that lost their owners, of whomever, on a real API server.
    [
      'connection/secret-publisher.ts',
      'apply',
      insert(
        "for (const { metadata, type } of (await client.list(secrets, { namespace: key.namespace ?? '', signal })).items) if (type === connectionSecretType && metadata.ownerReferences === undefined) await client.delete(secrets, metadata, { signal, preconditions: { uid: metadata.uid ?? '' } });",
      ),
      'test/integration/runtime/managed.test',
    ],
  ]),
];
