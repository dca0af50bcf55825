/**
 * The flags of `provider-kyma start`, as one table: parsing, bounds, help, environment variables and documentation come
 * from it. Every flag may be given by its environment variable; the command line wins. Durations are written as in Go
 * (`1m30s`). A value outside of its bounds is refused, wherever it comes from.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../base/duration.ts';
import { isOff, parseListenAddress } from '../runtime/manager/listen-address.ts';
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
  /** Default, `min` and `max` as people write them. */
  | (FlagBase<number> & {
      readonly type: 'duration';
      readonly defaultText: string;
      readonly min: string;
      readonly max: string;
    })
  | (FlagBase<number> & { readonly type: 'integer'; readonly min: number; readonly max: number })
  | (FlagBase<string> & { readonly type: 'string'; readonly form: TextForm });

/** What texts a flag takes. */
interface TextForm {
  /** Completes `want …`. */
  readonly description: string;
  readonly accepts: (text: string) => boolean;
}

/** Also of every option that says nothing else of its values. */
const MAX_TEXT = 4096;
const anyText: TextForm = {
  description: `at most ${MAX_TEXT} characters`,
  accepts: (text) => text.length <= MAX_TEXT,
};
const namespaceName: TextForm = {
  description: 'a namespace: at most 63 lower case letters, digits and dashes',
  accepts: (text) => /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/.test(text),
};
const listenAddress: TextForm = {
  description: '0, :port or host:port, with a port from 0 to 65535',
  accepts: (text) => isOff(text) || (text.length <= 300 && parseListenAddress(text) !== undefined),
};
/** The length of `sun_path` on Linux, without its end. */
const MAX_SOCKET_PATH = 107;
const socketPath: TextForm = {
  description: `a path of 1 to ${MAX_SOCKET_PATH} bytes`,
  accepts: (text) => text !== '' && Buffer.byteLength(text) <= MAX_SOCKET_PATH,
};

const boolean = (value: boolean, help: string, more: { short?: string; env?: string } = {}) =>
  ({ type: 'boolean', default: value, help, ...more }) as const;
const duration = (
  text: string,
  min: string,
  max: string,
  help: string,
  more: { short?: string; env?: string } = {},
) => ({ type: 'duration', default: msOf(text), defaultText: text, min, max, help, ...more }) as const;
const integer = (value: number, min: number, max: number, help: string, more: { env?: string } = {}) =>
  ({ type: 'integer', default: value, min, max, help, ...more }) as const;
const string = (value: string, form: TextForm, help: string, more: { env?: string } = {}) =>
  ({ type: 'string', default: value, form, help, ...more }) as const;

/** Of a duration that stands in this table. */
const msOf = (text: string): number => parseDuration(text) ?? Number.NaN;

/** @param env decides defaults: leader election is on inside a pod, and Crossplane names the folder of its certificate */
export function flagTable(env: NodeJS.ProcessEnv = {}) {
  return {
    kubeconfig: string(
      '',
      anyText,
      "kubeconfig file; empty: KUBECONFIG, the pod's service account, or ~/.kube/config",
    ),
    debug: boolean(false, 'log reconcile chatter as well', { short: 'd' }),
    'leader-election': boolean(
      Boolean(env.POD_NAMESPACE),
      'hold a Lease while reconciling, so that one of several replicas works; on by default inside a pod',
      { short: 'l', env: 'LEADER_ELECTION' },
    ),
    'leader-election-namespace': string('', namespaceName, "namespace of the Lease; empty: the pod's own"),
    sync: duration('1h', '0s', '8760h', 'accepted for compatibility: caches follow their watches', {
      short: 's',
    }),
    poll: duration('1m', '1s', '24h', 'how often a settled resource is compared with the external resource'),
    'poll-jitter-percentage': integer(10, 0, 99, 'spreads polls by up to this share either way'),
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
      '1s',
      '10m',
      'time for all calls to the external API in one reconcile; the same for all shards, which wait as long when a resource changes shards',
    ),
    'enable-management-policies': boolean(true, 'honour spec.managementPolicies', {
      env: 'ENABLE_MANAGEMENT_POLICIES',
    }),
    'watch-label-selector': string(
      '',
      anyText,
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
      'port of the HTTPS server for webhooks, on every interface; it listens only where a module has webhooks',
      { env: 'WEBHOOK_PORT' },
    ),
    'webhook-tls-cert-dir': string(
      env.TLS_SERVER_CERTS_DIR ?? env.WEBHOOK_CERT_DIR ?? '',
      anyText,
      'folder with tls.crt and tls.key of the webhook server; they are reloaded when they change',
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

/** What values a flag takes, e.g. `1s to 24h`. */
export function boundsOf(flag: Flag): string {
  switch (flag.type) {
    case 'boolean':
      return 'true or false';
    case 'duration':
    case 'integer':
      return `${flag.min} to ${flag.max}`;
    case 'string':
      return flag.form.description;
    default:
      return flag satisfies never;
  }
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
  for (const name of ['allow-private-endpoints', 'debug'] as const)
    addSwitch(command, name, table[name], env);
  return command;
}

/** Has options that say nothing of their values take texts of a bounded length. */
export function boundTexts(command: Command): void {
  for (const option of command.options) {
    if (option.required && option.parseArg === undefined) option.argParser(parserOfText(anyText));
  }
}

function addSwitch(command: Command, name: string, flag: Flag, env: NodeJS.ProcessEnv): void {
  const variable = environmentTwin(name, flag);
  const set = env[variable];
  const value = set === undefined ? false : booleanIn(set);
  command.addOption(new Option(namesOf(name, flag), flag.help).default(value ?? false));
  // Not before the command runs: another one may have no use for the variable.
  command.hook('preAction', () => {
    if (value !== undefined) return;
    command.error(
      `error: option '--${name}' value '${set}' from env '${variable}' is invalid. want ${boundsOf(flag)}.`,
    );
  });
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
  const option = new Option(namesOf(name, flag) + value, helpOf(flag))
    .env(environmentTwin(name, flag))
    .default(flag.default, flag.type === 'duration' ? flag.defaultText : undefined)
    .argParser(parserOf(flag));
  if (flag.type === 'boolean') option.preset('true');
  command.addOption(option);
  if (flag.type === 'boolean') command.addOption(new Option(`--no-${name}`).hideHelp());
}

const namesOf = (name: string, { short }: Flag) => `${short === undefined ? '' : `-${short}, `}--${name}`;

/** Bounds that the type alone does not say. */
const helpOf = (flag: Flag): string =>
  flag.type === 'boolean' || flag.type === 'string' ? flag.help : `${flag.help} (${boundsOf(flag)})`;

function booleanIn(text: string): boolean | undefined {
  if (/^(true|1|t|yes)$/i.test(text)) return true;
  if (/^(false|0|f|no|)$/i.test(text)) return false;
  return undefined;
}

function parserOf(flag: Flag): (text: string) => boolean | number | string {
  const refusal = () => new InvalidArgumentError(`want ${wantedOf(flag)}.`);
  switch (flag.type) {
    case 'boolean':
      return (text) => {
        const parsed = booleanIn(text);
        if (parsed === undefined) throw refusal();
        return parsed;
      };
    case 'duration':
      return (text) => {
        const parsed = parseDuration(text) ?? Number.NaN;
        if (!(parsed >= msOf(flag.min) && parsed <= msOf(flag.max))) throw refusal();
        return parsed;
      };
    case 'integer':
      return (text) => {
        const parsed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
        if (!(parsed >= flag.min && parsed <= flag.max)) throw refusal();
        return parsed;
      };
    case 'string':
      return parserOfText(flag.form);
    default:
      return flag satisfies never;
  }
}

function wantedOf(flag: Flag): string {
  if (flag.type === 'duration') return `a duration such as 90s or 1m30s, ${boundsOf(flag)}`;
  return flag.type === 'integer' ? `a whole number, ${boundsOf(flag)}` : boundsOf(flag);
}

const parserOfText =
  ({ accepts, description }: TextForm) =>
  (text: string): string => {
    if (!accepts(text)) throw new InvalidArgumentError(`want ${description}.`);
    return text;
  };
