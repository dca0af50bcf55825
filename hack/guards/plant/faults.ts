import type { Guard } from '../../../test/guards/violations.ts';
import type { Operator } from './operators.ts';

/** A fault that the guard must find in the tests. */
export interface Fault {
  readonly guard: Guard;
  /** The module that has it. */
  readonly module: string;
  readonly file: string;
  /** The function; `*`: the file. */
  readonly function: string;
  readonly operator: Operator;
  /** Beginning of the paths of the tests that meet it. */
  readonly tests: string;
}

const remove = (member: string): Operator => ({ kind: 'remove-member', member });
const unguarded: Operator = { kind: 'remove-call', call: 'assertMayWrite' };
const insert = (statement: string): Operator => ({ kind: 'insert', statement });

/** Faults of one guard in the files below a folder: file, function, operator, tests. */
const faultsOf = (
  guard: Guard,
  module: string,
  folder: string,
  rows: readonly (readonly [file: string, name: string, operator: Operator, tests: string])[],
): readonly Fault[] =>
  rows.map(([file, name, operator, tests]) => ({
    guard,
    module,
    file: `${folder}/${file}`,
    function: name,
    operator,
    tests: tests.startsWith('test/') ? tests : `${folder}/${tests}`,
  }));

const BTP = 'internal/controllers/btp';
const MANAGER = 'internal/controllers/infrastructure-manager';
const INVENTORY = 'internal/controllers/inventory';
const RECONCILER = 'internal/controllers/reconciler';
const COMPONENTS = 'internal/components';
const MANAGED = 'internal/managed';

/** The credentials of a binding, without names by which a sink would mask them. */
const BOUND = "[...credentialTexts(found.credentials ?? {})].join(' and ')";

export const FAULTS: readonly Fault[] = [
  ...faultsOf('foreign-objects', 'btp', BTP, [
    [
      'servicebinding/secret/secret-store.ts',
      'deleteSecret',
      remove('preconditions'),
      'servicebinding/secret',
    ],
    ['servicebinding/secret/secret-store.ts', 'store', remove('preconditions'), 'servicebinding/secret'],
    [
      'servicebinding/rotation/expire.ts',
      'expire',
      remove('preconditions'),
      'servicebinding/reconciler.rotation',
    ],
  ]),
  ...faultsOf('foreign-objects', 'infrastructure-manager', MANAGER, [
    ['runtime/states/delete-shoot.ts', 'requestDeletion', remove('preconditions'), 'runtime/reconciler'],
    ['runtime/states/delete-shoot.ts', 'confirmDeletion', remove('uid'), 'runtime/reconciler'],
    ['runtime/cluster/delete-own.ts', 'deleteOwn', remove('preconditions'), 'runtime/cluster'],
  ]),
  ...faultsOf('foreign-objects', 'inventory', INVENTORY, [
    [
      'kymainstancemapping/migration/migrate-from-go.ts',
      'remove',
      remove('preconditions'),
      'kymainstancemapping/migration',
    ],
    [
      'kymainstancemapping/migration/migrate-from-go.ts',
      'removeChild',
      {
        kind: 'replace-call',
        call: 'remove',
        value: 'client.delete(instanceMappings, keyOf(current), { signal })',
      },
      'kymainstancemapping/migration',
    ],
    [
      'kymainstancemapping/migration/migrate-from-go.ts',
      'remove',
      {
        kind: 'replace-call',
        call: 'keyOf',
        value: "{ ...keyOf(object), name: 'hana-of-another' }",
      },
      'kymainstancemapping/migration',
    ],
  ]),
  ...faultsOf('foreign-objects', 'components', COMPONENTS, [
    [
      'objects/removal/delete-object.ts',
      'deleteObject',
      remove('preconditions'),
      'test/integration/components/deploy.test',
    ],
    [
      'objects/removal/remove-namespace.ts',
      '*',
      remove('preconditions'),
      'test/integration/components/deploy.test',
    ],
    [
      'objects/deploy/apply-object.ts',
      '*',
      { kind: 'replace-call', call: 'exactly', value: '{ ...body, metadata: { ...body.metadata } }' },
      'test/integration/components/deploy.test',
    ],
  ]),
  ...faultsOf('foreign-objects', 'managed', MANAGED, [
    ['connection/secret-publisher.ts', 'apply', remove('resourceVersion'), 'connection'],
    [
      'connection/secret-publisher.ts',
      'apply',
      { kind: 'replace-member', member: 'metadata', value: '{ ownerReferences }' },
      'connection',
    ],
    [
      'connection/secret-publisher.ts',
      'apply',
      { kind: 'replace-call', call: 'mergePatch', value: 'client.delete(secrets, key, { signal })' },
      'connection',
    ],
  ]),
  ...faultsOf('live-run', 'btp', BTP, [
    ['operations/run.ts', 'writeOptions', remove('fence'), 'serviceinstance/reconciler'],
    [
      'operations/run.ts',
      'writeOptions',
      { kind: 'replace-member', member: 'fence', value: 'undefined' },
      'servicebinding/reconciler',
    ],
    [
      'operations/delete-own.ts',
      '*',
      {
        kind: 'replace-call',
        call: 'writeOptions',
        value: '{ signal: run.context.signal, userInfo: undefined }',
      },
      'serviceinstance/reconciler',
    ],
  ]),
  ...faultsOf('live-run', 'infrastructure-manager', MANAGER, [
    ['runtime/states/create-shoot.ts', 'create', unguarded, 'runtime/reconciler'],
    ['runtime/states/patch-existing-shoot.ts', '*', unguarded, 'runtime/reconciler'],
    ['runtime/cluster/apply-bindings.ts', 'bind', unguarded, 'runtime/cluster'],
  ]),
  ...faultsOf('live-run', 'reconciler', RECONCILER, [
    ['kymacluster/external-client.ts', '*', remove('fence'), 'kymacluster/kyma-cluster'],
    [
      'kymacluster/external-client.ts',
      '*',
      { kind: 'replace-member', member: 'fence', value: 'undefined' },
      'kymacluster/kyma-cluster',
    ],
    [
      'kymacluster/external-client.ts',
      '*',
      {
        kind: 'replace-call',
        call: 'deleteCluster',
        value: 'mothership.deleteCluster(runtimeIDOf(resource), { signal })',
      },
      'kymacluster/kyma-cluster',
    ],
  ]),
  ...faultsOf('live-run', 'inventory', INVENTORY, [
    ['mapping/mapping-client.ts', 'create', remove('fence'), 'test/integration/mapping/identity'],
    ['mapping/mapping-client.ts', 'delete', remove('fence'), 'test/integration/mapping/identity'],
    [
      'mapping/mapping-client.ts',
      '*',
      { kind: 'replace-member', member: 'fence', value: 'undefined' },
      'test/integration/mapping/identity',
    ],
  ]),
  ...faultsOf('taint', 'btp', BTP, [
    [
      'servicebinding/bound-secret.ts',
      'writeSecret',
      insert(`run.context.log.info(${BOUND});`),
      'servicebinding/reconciler.create',
    ],
    [
      'servicebinding/bound-secret.ts',
      'writeSecret',
      insert(`run.context.recorder.record(run.object, 'Normal', 'Read', ${BOUND});`),
      'servicebinding/reconciler.create',
    ],
    [
      'servicebinding/bound-secret.ts',
      'writeSecret',
      insert(
        `await run.context.client.create({ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true }, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...run.object.metadata, resourceVersion: undefined }, data: { last: ${BOUND} } });`,
      ),
      'servicebinding/reconciler.create',
    ],
  ]),
  ...faultsOf('taint', 'infrastructure-manager', MANAGER, [
    [
      'gardenercluster/reconciler.ts',
      'store',
      insert('run.context.log.info(arguments[2].kubeconfig);'),
      'gardenercluster/gardener-cluster.test',
    ],
    [
      'gardenercluster/reconciler.ts',
      'store',
      insert(
        "run.context.recorder.record(run.object, 'Normal', 'Read', Buffer.from(arguments[2].kubeconfig, 'base64').toString());",
      ),
      'gardenercluster/gardener-cluster.test',
    ],
    [
      'gardenercluster/reconciler.ts',
      'store',
      insert(
        'run.object.metadata.annotations = { ...run.object.metadata.annotations, last: arguments[2].kubeconfig }; run.copy.markChanged();',
      ),
      'gardenercluster/gardener-cluster.test',
    ],
  ]),
  ...faultsOf('taint', 'managed', MANAGED, [
    [
      'connection/secret-publisher.ts',
      'apply',
      insert('resource.metadata.annotations = { last: Object.values(data).join() };'),
      '',
    ],
    [
      'connection/secret-publisher.ts',
      'apply',
      insert('nopLogger.info(Object.values(data).join());'),
      'connection',
    ],
    ['connection/secret-publisher.ts', 'apply', insert("nopLogger.error('published', data);"), 'connection'],
  ]),
];
