import {
  BTP,
  type Fault,
  faultsOf,
  INVENTORY,
  insert,
  MANAGED,
  MANAGER,
  RECONCILER,
  replaceCall,
} from './fault.ts';

/** The credentials of a binding, without names by which a sink would mask them. */
const BOUND = "Object.values(JSON.parse(found.credentials ?? '{}')).join(' and ')";
const BINDING = 'servicebinding/reconciler.create';
const CLUSTER = 'gardenercluster/gardener-cluster.test';
const MAPPINGS = 'test/campaign/inventory';
const LOGGER = "import { nopLogger } from '../../base/telemetry/telemetry.ts';";

export const TAINT_FAULTS: readonly Fault[] = [
  ...faultsOf('taint', 'btp', BTP, [
    ['servicebinding/bound-secret.ts', 'writeSecret', insert(`run.context.log.info(${BOUND});`), BINDING],
    [
      'servicebinding/bound-secret.ts',
      'writeSecret',
      insert(`run.context.recorder.record(run.object, 'Normal', 'Read', ${BOUND});`),
      BINDING,
    ],
    [
      'servicebinding/bound-secret.ts',
      'writeSecret',
      insert(
        `await run.context.client.create({ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true }, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...run.object.metadata, resourceVersion: undefined }, data: { last: ${BOUND} } });`,
      ),
      BINDING,
    ],
  ]),
  ...faultsOf('taint', 'infrastructure-manager', MANAGER, [
    [
      'gardenercluster/kubeconfig-rotation.ts',
      'storeKubeconfig',
      insert('run.context.log.info(arguments[2].kubeconfig);'),
      CLUSTER,
    ],
    [
      'gardenercluster/kubeconfig-rotation.ts',
      'storeKubeconfig',
      insert(
        "run.context.recorder.record(run.object, 'Normal', 'Read', Buffer.from(arguments[2].kubeconfig, 'base64').toString());",
      ),
      CLUSTER,
    ],
    [
      'gardenercluster/kubeconfig-rotation.ts',
      'storeKubeconfig',
      insert(
        'run.object.metadata.annotations = { ...run.object.metadata.annotations, last: arguments[2].kubeconfig }; run.copy.markChanged();',
      ),
      CLUSTER,
    ],
  ]),
  ...faultsOf('taint', 'inventory', INVENTORY, [
    [
      'instancemapping/instance-mapping.ts',
      'open',
      replaceCall('note', 'ctx.log.info(credentials.authentication.clientSecret)'),
      MAPPINGS,
    ],
    [
      'instancemapping/instance-mapping.ts',
      'open',
      replaceCall(
        'note',
        '((resource as { status?: object }).status = { ...resource.status, last: credentials.authentication.clientSecret })',
      ),
      MAPPINGS,
    ],
    [
      'instancemapping/instance-mapping.ts',
      'open',
      replaceCall('note', '(() => { throw new Error(credentials.authentication.clientSecret); })()'),
      MAPPINGS,
    ],
  ]),
  ...faultsOf('taint', 'reconciler', RECONCILER, [
    ['kyma-cluster.ts', 'put', replaceCall('digestOf', 'kubeconfig.text'), 'kyma-cluster.test'],
    [
      'kyma-cluster.ts',
      'kubeconfigDifference',
      // The difference is a log line, and a condition.
      insert('return kubeconfig;'),
      'kyma-cluster.test',
    ],
    [
      'kyma-cluster.ts',
      'createExternalClient',
      replaceCall('differenceOf', 'documentOf(resource, kubeconfig?.text).kubeconfig'),
      'kyma-cluster.test',
    ],
  ]),
  ...faultsOf('taint', 'managed', MANAGED, [
    [
      'connection/secret-publisher.ts',
      'apply',
      insert('nopLogger.info(Object.values(data).join());', LOGGER),
      'connection',
    ],
    [
      'connection/secret-publisher.ts',
      'apply',
      // By the names of their keys a sink would mask them.
      insert("nopLogger.error('published', { last: Object.values(data) });", LOGGER),
      'connection',
    ],
    [
      'connection/secret-publisher.ts',
      'apply',
      insert(
        "await client.create({ ...secrets, kind: 'ConfigMap', plural: 'configmaps' }, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, name: String(Math.random()) }, data }, { signal });",
      ),
      'connection',
    ],
  ]),
];
