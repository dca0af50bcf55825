/**
 * The flags of `provider-kyma start`, as one table: parsing, help, environment twins and documentation come from
 * it. Names and defaults: managed-framework §6, column "Ours". Every flag may be given by its environment variable;
 * the command line wins. Durations are written as in Go (`1m30s`).
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatDuration, parseDuration } from '../base/duration.ts';
import type { OutputFormat } from './output/format.ts';

interface FlagBase<T> {
  readonly short?: string;
  /** Default: PROVIDER_KYMA_<FLAG>. */
  readonly env?: string;
  readonly default: T;
  readonly help: string;
}
type Flag =
  | (FlagBase<boolean> & { readonly type: 'boolean' })
  | (FlagBase<number> & { readonly type: 'duration' })
  | (FlagBase<number> & { readonly type: 'integer'; readonly min: number; readonly max: number })
  | (FlagBase<string> & { readonly type: 'string' });

const boolean = (value: boolean, help: string, more: { short?: string; env?: string } = {}) =>
  ({ type: 'boolean', default: value, help, ...more }) as const;
const duration = (text: string, help: string, more: { short?: string; env?: string } = {}) =>
  ({ type: 'duration', default: parseDuration(text) ?? 0, help, ...more }) as const;
const integer = (value: number, min: number, max: number, help: string, more: { env?: string } = {}) =>
  ({ type: 'integer', default: value, min, max, help, ...more }) as const;
const string = (value: string, help: string, more: { env?: string } = {}) =>
  ({ type: 'string', default: value, help, ...more }) as const;

/** @param env decides the default of leader election: on inside a pod */
export function flagTable(env: NodeJS.ProcessEnv = {}) {
  return {
    kubeconfig: string(
      '',
      "kubeconfig file; empty: KUBECONFIG, the pod's service account, or ~/.kube/config",
    ),
    debug: boolean(false, 'log reconcile chatter as well', { short: 'd' }),
    'leader-election': boolean(
      Boolean(env.POD_NAMESPACE),
      'hold a Lease while reconciling, so that one of several replicas works; on by default inside a pod',
      { short: 'l', env: 'LEADER_ELECTION' },
    ),
    'leader-election-namespace': string('', "namespace of the Lease; empty: the pod's own"),
    sync: duration('1h', 'accepted for compatibility: caches follow their watches', { short: 's' }),
    poll: duration('1m', 'how often a settled resource is compared with the other side'),
    'poll-jitter-percentage': integer(10, 0, 99, 'spreads polls by up to this share either way'),
    'min-poll-interval': duration('1s', 'lower bound for the annotation crossplane.io/poll-interval'),
    'poll-state-metric': duration(
      '5s',
      'how often the counts of existing, ready and synced resources are taken',
    ),
    'max-reconcile-rate': integer(
      100,
      1,
      10_000,
      'workers for each controller, and polls a second for all of them',
    ),
    'max-external-calls': integer(32, 1, 10_000, 'calls to the HANA Cloud API in flight at any time'),
    'external-timeout': duration(
      '1m',
      'time for all calls to the other side in one reconcile; the same for all shards, which wait as long when a resource changes shards',
    ),
    'enable-management-policies': boolean(true, 'honour spec.managementPolicies', {
      env: 'ENABLE_MANAGEMENT_POLICIES',
    }),
    'watch-label-selector': string(
      '',
      'reconcile only resources with these labels, e.g. shard=a; empty: all',
    ),
    'allow-private-endpoints': boolean(
      false,
      'accept loopback and private addresses as baseurl and uaa.url (tests, private links)',
      { env: 'ALLOW_PRIVATE_ENDPOINTS' },
    ),
    'token-cache': boolean(true, 'keep OAuth tokens in memory until they expire'),
    'enable-changelogs': boolean(
      false,
      'tell the change log sidecar of every attempt to change something in HANA Cloud',
      { env: 'ENABLE_CHANGE_LOGS' },
    ),
    'changelogs-socket-path': string(
      '/var/run/changelogs/changelogs.sock',
      'Unix socket of the change log sidecar',
      {
        env: 'CHANGELOGS_SOCKET_PATH',
      },
    ),
    'webhook-port': integer(9443, 0, 65_535, 'accepted for compatibility: no webhook is served', {
      env: 'WEBHOOK_PORT',
    }),
    'metrics-bind-address': string(':8080', 'address of /metrics; 0 turns it off', {
      env: 'METRICS_BIND_ADDRESS',
    }),
    'health-probe-bind-addr': string(':8081', 'address of /healthz and /readyz; 0 turns them off', {
      env: 'HEALTH_PROBE_BIND_ADDRESS',
    }),
    'enable-secret-cache': boolean(false, 'accepted for compatibility: Secrets are never cached', {
      env: 'ENABLE_SECRET_CACHE',
    }),
  } satisfies Record<string, Flag>;
}

type FlagTable = ReturnType<typeof flagTable>;
type CamelCase<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;
type Widen<T> = T extends boolean ? boolean : T extends number ? number : string;
/** The parsed flags. Durations are in milliseconds. */
export type StartFlags = {
  readonly [K in keyof FlagTable as CamelCase<K>]: Widen<FlagTable[K]['default']>;
};

export function environmentTwin(name: string, flag: { readonly env?: string }): string {
  return flag.env ?? `PROVIDER_KYMA_${name.replaceAll('-', '_').toUpperCase()}`;
}

/** Adds the flags to a command; their values are then `command.opts<StartFlags>()`. */
export function addFlags(command: Command, env: NodeJS.ProcessEnv): Command {
  for (const [name, flag] of Object.entries(flagTable(env)) as [string, Flag][]) addFlag(command, name, flag);
  return command;
}

/**
 * The flags of all commands but `start`: those that kubectl has, and those that they share with `start`. Switches
 * take no value here: what follows one is an argument.
 */
export function addConnectionFlags(command: Command, env: NodeJS.ProcessEnv): Command {
  const table = flagTable();
  addFlag(command, 'kubeconfig', table.kubeconfig);
  command
    .option('--context <name>', 'context of the kubeconfig; default: its current one')
    .option('-n, --namespace <name>', 'namespace of namespaced resources; default: that of the context');
  for (const name of ['allow-private-endpoints', 'debug'] as const) {
    const flag: Flag = table[name];
    const set = env[environmentTwin(name, flag)];
    command.addOption(
      new Option(namesOf(name, flag), flag.help).default(set !== undefined && parseBoolean(set)),
    );
  }
  return command;
}

export interface ConnectionFlags extends Pick<StartFlags, 'kubeconfig' | 'allowPrivateEndpoints' | 'debug'> {
  readonly context?: string;
  readonly namespace?: string;
}

export interface DoctorFlags extends ConnectionFlags {
  readonly output: OutputFormat;
  readonly beforeUninstall?: boolean;
  readonly permissions?: boolean;
  /** User name whose rights on the management cluster are looked at. */
  readonly as?: string;
}

function addFlag(command: Command, name: string, flag: Flag): void {
  const value = flag.type === 'boolean' ? ' [true|false]' : ` <${flag.type}>`;
  const option = new Option(namesOf(name, flag) + value, flag.help)
    .env(environmentTwin(name, flag))
    .default(flag.default, flag.type === 'duration' ? formatDuration(flag.default) : undefined)
    .argParser(parserOf(flag));
  if (flag.type === 'boolean') option.preset('true');
  command.addOption(option);
  if (flag.type === 'boolean') command.addOption(new Option(`--no-${name}`).hideHelp());
}

const namesOf = (name: string, { short }: Flag) => `${short === undefined ? '' : `-${short}, `}--${name}`;

function parseBoolean(text: string): boolean {
  if (/^(true|1|t|yes)$/i.test(text)) return true;
  if (/^(false|0|f|no|)$/i.test(text)) return false;
  throw new InvalidArgumentError('want true or false.');
}

function parserOf(flag: Flag): (text: string) => boolean | number | string {
  switch (flag.type) {
    case 'boolean':
      return parseBoolean;
    case 'duration':
      return (text) => {
        const parsed = parseDuration(text);
        if (parsed === undefined || parsed < 0)
          throw new InvalidArgumentError('want a duration such as 90s or 1m30s.');
        return parsed;
      };
    case 'integer':
      return (text) => {
        const parsed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
        if (!(parsed >= flag.min && parsed <= flag.max)) {
          throw new InvalidArgumentError(`want a whole number from ${flag.min} to ${flag.max}.`);
        }
        return parsed;
      };
    case 'string':
      return (text) => text;
    default:
      return flag satisfies never;
  }
}
