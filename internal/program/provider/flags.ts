/**
 * The flags of `provider-kyma start`: those of the program are here, those of a module in the module. Each has an
 * environment variable; the command line has precedence.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  addGroups,
  anyText,
  boolean,
  defaultsOf,
  duration,
  type FlagTable,
  type FlagValues,
  integer,
  joinGroups,
  string,
  type TextForm,
} from '../../framework/process/flag.ts';
import { isOff, parseListenAddress } from '../../framework/process/server/listen.ts';
import { logFormatFlag } from '../../framework/process/telemetry/log-format.ts';
import { defaultModules, moduleGroups, moduleList, modules } from './modules.ts';

const namespaceName: TextForm = {
  description: 'a namespace: at most 63 lower case letters, digits and dashes',
  accepts: (text) => /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/.test(text),
};
const listenAddress: TextForm = {
  description: '0, :port or host:port, with a port from 0 to 65535',
  accepts: (text) => isOff(text) || (text.length <= 300 && parseListenAddress(text) !== undefined),
};
const LABEL_KEY = /^(?:[a-z0-9][-a-z0-9.]{0,252}\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?$/;
const REQUIREMENT =
  /^([^\s!=<>(),]+)(?: *(?:==?|!=) *([^\s!=<>(),]*)| +(?:not)?in *\(([^()]+)\)| *[<>] *-?\d+)?$/;

/** Whether a requirement is one of a label selector: `shard=a`, `shard notin (a, b)`, `!shard`. */
function isRequirement(text: string): boolean {
  if (text.startsWith('!')) return LABEL_KEY.test(text.slice(1).trim());
  const [whole, key = '', value = '', values = ''] = REQUIREMENT.exec(text) ?? [];
  const isOf = (each: string) => LABEL_VALUE.test(each.trim());
  return whole !== undefined && LABEL_KEY.test(key) && isOf(value) && values.split(',').every(isOf);
}

/** API servers refuse others, so that nothing would be reconciled. */
const labelSelector: TextForm = {
  description: 'a label selector such as shard=a or shard notin (a, b)',
  accepts: (text) =>
    anyText.accepts(text) &&
    (text === '' || text.split(/,(?![^(]*\))/).every((each) => isRequirement(each.trim()))),
};
/** The size of `sun_path` on Linux without the final NUL. */
const MAX_SOCKET_PATH = 107;
const socketPath: TextForm = {
  description: `a path of 1 to ${MAX_SOCKET_PATH} bytes`,
  accepts: (text) => text !== '' && Buffer.byteLength(text) <= MAX_SOCKET_PATH,
};

/** The default of controller-runtime. */
const DEFAULT_CERTIFICATES = join(tmpdir(), 'k8s-webhook-server', 'serving-certs');

/** @param env decides defaults: leader election and ports inside a pod, and the certificate folder that Crossplane sets */
function programFlags(env: NodeJS.ProcessEnv) {
  // A mothership and component reconcilers on the same machine have 8080 and 8081.
  const [metricsPort, healthPort] = env.KUBERNETES_SERVICE_HOST ? [':8080', ':8081'] : [':8082', ':8083'];
  return {
    kubeconfig: string(
      '',
      anyText,
      "kubeconfig file; empty: KUBECONFIG, the pod's service account, or ~/.kube/config",
    ),
    debug: boolean(false, 'log each reconcile', { short: 'd' }),
    'log-format': logFormatFlag,
    controllers: string(
      defaultModules,
      moduleList(modules),
      `modules to run, separated by commas: ${modules.map(({ name }) => name).join(', ')}`,
    ),
    'leader-election': boolean(
      Boolean(env.POD_NAMESPACE),
      'reconcile only while holding a Lease, so that only one of several replicas reconciles; on by default inside a pod',
      { short: 'l', env: 'LEADER_ELECTION' },
    ),
    'leader-election-namespace': string('', namespaceName, "namespace of the Lease; empty: the pod's own"),
    sync: duration('1h', '0s', '8760h', 'accepted for compatibility: caches follow their watches', {
      short: 's',
    }),
    poll: duration('1m', '1s', '24h', 'how often a settled resource is compared with the external resource'),
    'poll-jitter-percentage': integer(
      10,
      0,
      99,
      'each poll interval varies randomly by up to this percentage',
    ),
    'min-poll-interval': duration(
      '1s',
      '1s',
      '24h',
      'lower bound for the annotation crossplane.io/poll-interval; its upper bound is 24h',
    ),
    'poll-state-metric': duration(
      '5s',
      '1s',
      '1h',
      'how often the metrics of existing, ready and synced resources are updated',
    ),
    'max-reconcile-rate': integer(
      100,
      1,
      10_000,
      'workers of each controller, except that of configurations, which has one; also the polls that all controllers together start per second, up to 10 times as many at once',
    ),
    'external-timeout': duration(
      '1m',
      '1s',
      '10m',
      'time for all calls to external APIs in one reconcile, for every controller; a kind may need longer (ServiceInstances and ServiceBindings: at least 150s). Must be the same for all shards',
    ),
    'enable-management-policies': boolean(true, 'apply spec.managementPolicies', {
      env: 'ENABLE_MANAGEMENT_POLICIES',
    }),
    'watch-label-selector': string(
      '',
      labelSelector,
      'reconcile only resources with these labels, e.g. shard=a; empty: all',
    ),
    'allow-private-endpoints': boolean(
      false,
      'accept loopback and private addresses of external APIs (tests, private links)',
      { env: 'ALLOW_PRIVATE_ENDPOINTS' },
    ),
    'enable-changelogs': boolean(
      false,
      'send each attempt to change an external resource to the change log sidecar',
      { env: 'ENABLE_CHANGE_LOGS' },
    ),
    'changelogs-socket-path': string(
      '/var/run/changelogs/changelogs.sock',
      socketPath,
      'Unix socket of the change log sidecar',
      { env: 'CHANGELOGS_SOCKET_PATH' },
    ),
    'webhook-port': integer(
      9443,
      0,
      65_535,
      'port of the HTTPS server for webhooks, on all interfaces; it starts only if a module has webhooks',
      { env: 'WEBHOOK_PORT' },
    ),
    'webhook-tls-cert-dir': string(
      env.TLS_SERVER_CERTS_DIR ?? env.WEBHOOK_CERT_DIR ?? DEFAULT_CERTIFICATES,
      anyText,
      'folder with tls.crt and tls.key of the webhook server; both are reloaded after a change',
      { env: 'WEBHOOK_TLS_CERT_DIR' },
    ),
    'metrics-bind-address': string(
      metricsPort,
      listenAddress,
      'address of /metrics; 0 turns it off; inside a pod :8080 by default',
      { env: 'METRICS_BIND_ADDRESS' },
    ),
    'health-probe-bind-addr': string(
      healthPort,
      listenAddress,
      'address of /healthz and /readyz; 0 turns them off; inside a pod :8081 by default',
      { env: 'HEALTH_PROBE_BIND_ADDRESS' },
    ),
    'enable-secret-cache': boolean(false, 'accepted for compatibility: Secrets are never cached', {
      env: 'ENABLE_SECRET_CACHE',
    }),
  } satisfies FlagTable;
}

/** The flags of `start`: those of the program, then those of each module. */
export const startGroups = (env: NodeJS.ProcessEnv = {}) => [
  { heading: 'Options:', flags: programFlags(env) },
  ...moduleGroups,
];

/** All flags of `start`. @param env see `programFlags` */
export const flagTable = (env: NodeJS.ProcessEnv = {}) => joinGroups(startGroups(env));

/** The parsed flags. Durations are in milliseconds. */
export type StartFlags = FlagValues<ReturnType<typeof flagTable>>;

/** The defaults. */
export const defaultFlags = (): StartFlags => defaultsOf(flagTable());

/** Adds the flags to `start`. Read their values with `command.opts<StartFlags>()`. */
export const addStartFlags = (command: Command, env: NodeJS.ProcessEnv): Command =>
  addGroups(command, startGroups(env));
