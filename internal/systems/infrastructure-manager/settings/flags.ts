import { InvalidConfigurationError, type Logger } from '../../../framework/base/index.ts';
import {
  anyText,
  boolean,
  duration,
  type FlagTable,
  type FlagValues,
  integer,
  string,
  type TextForm,
} from '../../../framework/process/flag.ts';
import type { Configuration } from '../configuration/configuration.ts';

const namespaceName: TextForm = {
  description: 'a namespace: at most 63 lower case letters, digits and dashes',
  accepts: (text) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text),
};
const projectName: TextForm = {
  description: 'a project of Gardener, without garden-: at most 56 lower case letters, digits and dashes',
  accepts: (text) => /^[a-z0-9]([-a-z0-9]{0,54}[a-z0-9])?$/.test(text),
};
const share: TextForm = {
  description: 'a number above 0 and below 1',
  accepts: (text) => /^0?\.\d{1,6}$/.test(text) && Number(text) > 0,
};

/** Of the logger of the Go program. */
const goLogger = 'accepted for compatibility: without effect, see --debug';

/** Flags of `start` about the infrastructure manager. Names and defaults are those of the Kyma infrastructure manager. */
export const infrastructureManagerFlags = {
  'gardener-kubeconfig-path': string(
    '/gardener/kubeconfig/kubeconfig',
    anyText,
    'kubeconfig of the API server of Gardener',
  ),
  'gardener-project-name': string('gardener-project', projectName, 'project of Gardener with the Shoots'),
  'converter-config-filepath': string(
    '/converter-config/converter_config.json',
    anyText,
    'file that says how Shoots are rendered',
  ),
  'runtime-namespace': string('kcp-system', namespaceName, 'namespace whose Runtimes are reconciled'),
  'audit-log-mandatory': boolean(true, 'a Runtime without audit log data for its region fails'),
  'network-restriction-enabled': boolean(
    true,
    'give Shoots the extension shoot-networking-filter, and change it; false: it stays as it is',
  ),
  'api-server-acl-enabled': boolean(
    false,
    'limit who may connect to the API server of a Runtime with allowedCIDRs, on aws and azure',
  ),
  'dedicated-audit-logging-enabled': boolean(
    false,
    'give Runtimes with auditLogAccessEnabled an AuditLog of their own; its CRD must be there',
  ),
  'upgrade-shoots': boolean(
    false,
    'patch Shoots that were rendered by former rules without a change of their Runtime',
  ),
  'status-requeue-delay': duration(
    '1s',
    '1ms',
    '10m',
    'accepted for compatibility: what is stored is known without a further reconcile',
  ),
  'structured-auth-enabled': boolean(
    false,
    'accepted for compatibility: users are always authenticated by a ConfigMap',
  ),
  'runtime-ctrl-workers-cnt': integer(25, 1, 1000, 'Runtimes that are reconciled at the same time'),
  'gardener-ctrl-reconcilation-timeout': duration(
    '60s',
    '1s',
    '1h',
    'time for all requests to Gardener in one reconcile',
  ),
  'gardener-request-timeout': duration('3s', '100ms', '10m', 'time for one request to Gardener'),
  'gardener-ratelimiter-qps': integer(
    0,
    0,
    100_000,
    'requests to Gardener per second; 0: as many as it answers, at most 32 at the same time',
  ),
  'gardener-ratelimiter-burst': integer(
    0,
    0,
    100_000,
    'requests to Gardener at once, with --gardener-ratelimiter-qps; 0: as many as a second has',
  ),
  'mass-deletion-threshold': integer(
    20,
    0,
    100_000,
    'Runtimes marked for deletion within a minute, above which an event and a metric report it; 0: never',
  ),
  'gardener-cluster-ctrl-workers-cnt': integer(
    25,
    1,
    1000,
    'GardenerClusters that are reconciled at the same time',
  ),
  'minimal-rotation-time': string('0.6', share, 'share of its lifetime during which a kubeconfig is kept'),
  'kubeconfig-expiration-time': duration(
    '24h',
    '10m',
    '8760h',
    'lifetime of kubeconfigs; Gardener may grant less',
  ),
  'registry-cache-config-controller-enabled': boolean(
    false,
    'configure the caches of image registries that RegistryCacheConfigs of runtimes ask for',
  ),
  'registry-cache-listener-port': integer(
    8082,
    1,
    65_535,
    'port of the runtime watcher, which only the mesh may reach, since it verifies the certificates',
  ),
  'registry-cache-reconcile-period': duration(
    '60m',
    '10s',
    '24h',
    'time after which the registry caches of a runtime are read again',
  ),
  'custom-config-controller-enabled': boolean(
    false,
    'accepted for compatibility: see --registry-cache-config-controller-enabled',
  ),
  'runtime-bootstrapper-enabled': boolean(
    false,
    'install the runtime bootstrapper in each runtime, with its configuration',
  ),
  'runtime-bootstrapper-manifests-config-map-name': string(
    'runtime-bootstrapper-manifests',
    anyText,
    'ConfigMap in the namespace of the Runtimes with the manifests of the bootstrapper, manifests.yaml',
  ),
  'runtime-bootstrapper-kcp-config-name': string(
    'rt-bootstrapper-config',
    anyText,
    'ConfigMap there that is copied to each runtime',
  ),
  'runtime-bootstrapper-skr-config-name': string('rt-bootstrapper-config', anyText, 'its name in runtimes'),
  'runtime-bootstrapper-kcp-pull-secret-name': string(
    '',
    anyText,
    'Secret there of type kubernetes.io/dockerconfigjson that is copied to each runtime; empty: none',
  ),
  'runtime-bootstrapper-skr-pull-secret-name': string(
    'registry-credentials',
    anyText,
    'its name in runtimes',
  ),
  'runtime-bootstrapper-kcp-cluster-trust-bundle': string(
    '',
    anyText,
    'ClusterTrustBundle that is copied to each runtime, whose Shoot gets the feature gates for it; empty: none',
  ),
  'runtime-bootstrapper-skr-cluster-trust-bundle': string('', anyText, 'its name in runtimes'),
  'runtime-bootstrapper-skr-namespace': string(
    'kyma-system',
    anyText,
    'namespace of the bootstrapper and its configuration in runtimes',
  ),
  'runtime-bootstrapper-skr-deployment-name': string(
    'rt-bootstrapper-controller-manager',
    anyText,
    'Deployment of the bootstrapper there: a Runtime is Ready when its pods are',
  ),
  'zap-devel': boolean(false, goLogger),
  'zap-encoder': string('', anyText, goLogger),
  'zap-log-level': string('', anyText, goLogger),
  'zap-stacktrace-level': string('', anyText, goLogger),
  'zap-time-encoding': string('', anyText, goLogger),
} satisfies FlagTable;

/** Those that `doctor` has as well. */
export const infrastructureManagerDoctorFlags = {
  'gardener-kubeconfig-path': infrastructureManagerFlags['gardener-kubeconfig-path'],
  'gardener-project-name': infrastructureManagerFlags['gardener-project-name'],
  'runtime-namespace': infrastructureManagerFlags['runtime-namespace'],
  'converter-config-filepath': infrastructureManagerFlags['converter-config-filepath'],
  'network-restriction-enabled': infrastructureManagerFlags['network-restriction-enabled'],
  'api-server-acl-enabled': infrastructureManagerFlags['api-server-acl-enabled'],
  'dedicated-audit-logging-enabled': infrastructureManagerFlags['dedicated-audit-logging-enabled'],
  'registry-cache-config-controller-enabled':
    infrastructureManagerFlags['registry-cache-config-controller-enabled'],
  'runtime-bootstrapper-enabled': infrastructureManagerFlags['runtime-bootstrapper-enabled'],
  'runtime-bootstrapper-kcp-cluster-trust-bundle':
    infrastructureManagerFlags['runtime-bootstrapper-kcp-cluster-trust-bundle'],
} satisfies FlagTable;

export type InfrastructureManagerFlags = FlagValues<typeof infrastructureManagerFlags>;

type Checked = Pick<
  InfrastructureManagerFlags,
  'structuredAuthEnabled' | 'customConfigControllerEnabled' | 'apiServerAclEnabled'
>;

/**
 * What a flag alone does not show: that it needs a member of the configuration, or has no effect any more.
 *
 * @throws InvalidConfigurationError
 */
export function checkFlags(
  { structuredAuthEnabled, customConfigControllerEnabled, apiServerAclEnabled }: Checked,
  { converter }: Pick<Configuration, 'converter'>,
  log: Pick<Logger, 'info'>,
): void {
  if (structuredAuthEnabled)
    log.info('--structured-auth-enabled has no effect: users are always authenticated by a ConfigMap');
  if (customConfigControllerEnabled)
    log.info(
      '--custom-config-controller-enabled has no effect: its successor is --registry-cache-config-controller-enabled',
    );
  if (apiServerAclEnabled && converter.kubernetes.kubeApiServer.acl.configMapName === '')
    throw new InvalidConfigurationError(
      '--api-server-acl-enabled needs converter.kubernetes.kubeApiServer.acl.configMapName in the converter configuration',
    );
}
