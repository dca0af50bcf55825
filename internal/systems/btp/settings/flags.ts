import {
  anyText,
  boolean,
  duration,
  type FlagTable,
  type FlagValues,
  string,
  type TextForm,
} from '../../../framework/process/flag.ts';

const isNamespace = (text: string) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);
const namespaceName: TextForm = {
  description: 'a namespace: at most 63 lower case letters, digits and dashes',
  accepts: (text) => text === '' || isNamespace(text),
};
const MAX_NAMESPACES = 1000;
const namespaceList: TextForm = {
  description: `namespaces, separated by commas, at most ${MAX_NAMESPACES}`,
  accepts: (text) => text.length <= 64 * MAX_NAMESPACES && namespacesIn(text).every(isNamespace),
};

/** The namespaces of a list, without empty entries. */
export const namespacesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const idText: TextForm = {
  description: 'at most 253 characters',
  accepts: (text) => text.length <= 253,
};

/** Flags of `start` about the SAP BTP service operator. The environment variables are those of SAP's operator. */
export const btpFlags = {
  'cluster-id': string('', idText, 'ID of this cluster in Service Manager; required by the module btp', {
    env: 'CLUSTER_ID',
  }),
  'initial-cluster-id': string(
    '',
    idText,
    'the ID at the first start; --cluster-id must not differ from it',
    { env: 'INITIAL_CLUSTER_ID' },
  ),
  'release-namespace': string(
    '',
    namespaceName,
    "namespace with the default credentials of Service Manager and the Lease of the operator; empty: the pod's own",
    { env: 'RELEASE_NAMESPACE' },
  ),
  'management-namespace': string(
    '',
    namespaceName,
    'namespace with credentials of Service Manager for other namespaces; empty: --release-namespace',
    { env: 'MANAGEMENT_NAMESPACE' },
  ),
  'app-version': string(
    '',
    idText,
    'version in the header client-version of calls to Service Manager; empty: that of this program',
    { env: 'APP_VERSION' },
  ),
  'operation-poll-interval': duration(
    '10s',
    '10ms',
    '24h',
    'how often an operation in progress in Service Manager is observed',
    { env: 'POLL_INTERVAL' },
  ),
  'drift-interval': duration(
    '10m',
    '0s',
    '24h',
    'how often settled ServiceInstances and ServiceBindings are compared with Service Manager, by one list for each credentials; 0: never',
    { env: 'DRIFT_INTERVAL' },
  ),
  'retry-base-delay': duration('10s', '1ms', '24h', 'delay after the first failure of a ServiceInstance', {
    env: 'RETRY_BASE_DELAY',
  }),
  'retry-max-delay': duration('3h', '1ms', '24h', 'the longest delay after failures of a ServiceInstance', {
    env: 'RETRY_MAX_DELAY',
  }),
  'enable-webhooks': boolean(true, 'serve the admission webhooks of the module btp', {
    env: 'ENABLE_WEBHOOKS',
  }),
  'allow-cluster-access': boolean(
    true,
    'reconcile ServiceInstances in all namespaces; false: only in --allowed-namespaces and --release-namespace',
    { env: 'ALLOW_CLUSTER_ACCESS' },
  ),
  'allowed-namespaces': string('', namespaceList, 'namespaces for --allow-cluster-access=false', {
    env: 'ALLOWED_NAMESPACES',
  }),
  'enable-namespace-secrets': boolean(
    true,
    'use credentials of Service Manager from the namespace of a ServiceInstance',
    { env: 'ENABLE_NAMESPACE_SECRETS' },
  ),
  'enable-limited-cache': boolean(false, 'accepted for compatibility: Secrets are never cached', {
    env: 'ENABLE_LIMITED_CACHE',
  }),
  'sync-period': string('', anyText, 'accepted for compatibility: without effect', { env: 'SYNC_PERIOD' }),
  'long-poll-interval': string('', anyText, 'accepted for compatibility: without effect', {
    env: 'LONG_POLL_INTERVAL',
  }),
} satisfies FlagTable;

/** The flags that decide where the credentials of an instance are, and which rights the operator needs. */
export const btpDoctorFlags = {
  'release-namespace': string(
    '',
    namespaceName,
    'namespace with the default credentials of Service Manager; empty: sap-btp-operator',
    { env: 'RELEASE_NAMESPACE' },
  ),
  'management-namespace': btpFlags['management-namespace'],
  'enable-namespace-secrets': btpFlags['enable-namespace-secrets'],
  'allow-cluster-access': btpFlags['allow-cluster-access'],
  'allowed-namespaces': btpFlags['allowed-namespaces'],
} satisfies FlagTable;

export type BtpFlags = FlagValues<typeof btpFlags>;
