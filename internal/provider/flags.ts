/** The flags of `provider-kyma start`. Each has an environment variable; the command line has precedence. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { OutputFormat } from '../console/format.ts';
import {
  addFlag,
  addFlags,
  addSwitch,
  anyText,
  boolean,
  defaultsOf,
  duration,
  type FlagTable,
  type FlagValues,
  integer,
  string,
  type TextForm,
} from '../process/flags/flag.ts';
import { isOff, parseListenAddress } from '../process/server/listen-address.ts';
import { defaultModules, type doctorFlags, moduleFlags, moduleList, modules } from './modules.ts';

const namespaceName: TextForm = {
  description: 'a namespace: at most 63 lower case letters, digits and dashes',
  accepts: (text) => /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/.test(text),
};
const listenAddress: TextForm = {
  description: '0, :port or host:port, with a port from 0 to 65535',
  accepts: (text) => isOff(text) || (text.length <= 300 && parseListenAddress(text) !== undefined),
};
/** The size of `sun_path` on Linux without the final NUL. */
const MAX_SOCKET_PATH = 107;
const socketPath: TextForm = {
  description: `a path of 1 to ${MAX_SOCKET_PATH} bytes`,
  accepts: (text) => text !== '' && Buffer.byteLength(text) <= MAX_SOCKET_PATH,
};

/** The default of controller-runtime. */
const DEFAULT_CERTIFICATES = join(tmpdir(), 'k8s-webhook-server', 'serving-certs');

/** @param env decides defaults: leader election inside a pod, and the certificate folder that Crossplane sets */
export function flagTable(env: NodeJS.ProcessEnv = {}) {
  return {
    kubeconfig: string(
      '',
      anyText,
      "kubeconfig file; empty: KUBECONFIG, the pod's service account, or ~/.kube/config",
    ),
    debug: boolean(false, 'log each reconcile', { short: 'd' }),
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
      'workers for each controller, and polls per second for all controllers',
    ),
    'external-timeout': duration(
      '1m',
      '1s',
      '10m',
      'time for all calls to the external API in one reconcile; must be the same for all shards, which wait as long when a resource moves between them',
    ),
    'enable-management-policies': boolean(true, 'apply spec.managementPolicies', {
      env: 'ENABLE_MANAGEMENT_POLICIES',
    }),
    'watch-label-selector': string(
      '',
      anyText,
      'reconcile only resources with these labels, e.g. shard=a; empty: all',
    ),
    ...moduleFlags,
    'enable-changelogs': boolean(
      false,
      'send each attempt to change something in HANA Cloud to the change log sidecar',
      { env: 'ENABLE_CHANGE_LOGS' },
    ),
    'changelogs-socket-path': string(
      '/var/run/changelogs/changelogs.sock',
      socketPath,
      'Unix socket of the change log sidecar',
      {
        env: 'CHANGELOGS_SOCKET_PATH',
      },
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
    'metrics-bind-address': string(':8080', listenAddress, 'address of /metrics; 0 turns it off', {
      env: 'METRICS_BIND_ADDRESS',
    }),
    'health-probe-bind-addr': string(
      ':8081',
      listenAddress,
      'address of /healthz and /readyz; 0 turns them off',
      {
        env: 'HEALTH_PROBE_BIND_ADDRESS',
      },
    ),
    'enable-secret-cache': boolean(false, 'accepted for compatibility: Secrets are never cached', {
      env: 'ENABLE_SECRET_CACHE',
    }),
  } satisfies FlagTable;
}

/** The parsed flags. Durations are in milliseconds. */
export type StartFlags = FlagValues<ReturnType<typeof flagTable>>;

/** The defaults. */
export const defaultFlags = (): StartFlags => defaultsOf(flagTable());

/** Adds the flags to `start`. Read their values with `command.opts<StartFlags>()`. */
export const addStartFlags = (command: Command, env: NodeJS.ProcessEnv): Command =>
  addFlags(command, flagTable(env));

/**
 * Adds the flags of all commands except `start`: those of kubectl, and some that `start` has as well. Boolean flags
 * take no value here.
 */
export function addConnectionFlags(command: Command, env: NodeJS.ProcessEnv): Command {
  const table = flagTable();
  addFlag(command, 'kubeconfig', table.kubeconfig);
  command
    .option('--context <name>', 'context of the kubeconfig; default: its current one')
    .option('-n, --namespace <name>', 'namespace of namespaced resources; default: that of the context');
  for (const name of ['allow-private-endpoints', 'debug'] as const)
    addSwitch(command, name, table[name], env);
  return command;
}

/** Adds `--controllers`, with another description than that of `start`. */
export const addControllersFlag = (command: Command, help: string): void =>
  addFlag(command, 'controllers', { ...flagTable().controllers, help });

export interface ConnectionFlags extends Pick<StartFlags, 'kubeconfig' | 'allowPrivateEndpoints' | 'debug'> {
  readonly context?: string;
  readonly namespace?: string;
}

export interface DoctorFlags
  extends ConnectionFlags,
    Pick<StartFlags, 'controllers'>,
    FlagValues<typeof doctorFlags> {
  readonly output: OutputFormat;
  readonly beforeUninstall?: boolean;
  readonly permissions?: boolean;
  /** User whose rights on the management cluster are checked. */
  readonly as?: string;
}
