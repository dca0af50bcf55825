/** Flags of `provider-kyma component start`, by the names and defaults of the Go program. */
import {
  anyText,
  boolean,
  duration,
  type Flag,
  type FlagGroup,
  type FlagTable,
  type FlagValues,
  integer,
  string,
} from '../../../framework/process/flag.ts';
import { logFormatFlag } from '../../../framework/process/telemetry/log-format.ts';

const common = {
  verbose: boolean(false, 'log details', { short: 'v' }),
  'log-format': logFormatFlag,
} satisfies FlagTable;

const serverFlags = {
  'server-port': integer(8080, 0, 65_535, 'port of tasks, metrics and probes; 0 takes any free one'),
  'server-crt': string('', anyText, 'file with the certificate (PEM) of the server; empty: HTTP'),
  'server-key': string('', anyText, 'file with the private key (PEM) of the server'),
  'client-ca-file': string(
    '',
    anyText,
    'certificates (PEM) of the authority of the mothership: tasks need a client certificate then',
  ),
  'token-file': string('', anyText, 'file with bearer tokens, one a line: tasks need one of them then'),
} satisfies FlagTable;

const callbackFlags = {
  'callback-ca-file': string(
    '',
    anyText,
    'certificates (PEM) to trust for the mothership, besides those of Node',
  ),
  'client-crt': string(
    '',
    anyText,
    'file with the certificate (PEM) that the mothership knows this process by',
  ),
  'client-key': string('', anyText, 'file with its private key (PEM)'),
} satisfies FlagTable;

const workFlags = {
  'worker-count': integer(50, 0, 10_000, 'tasks at the same time; 0: 50'),
  'worker-timeout': duration('10m', '0s', '24h', 'time for a task with all its attempts; 0: 10m'),
  'retries-max': integer(5, 0, 1000, 'attempts of a task that does not say how many; 0: 5'),
  'retries-delay': duration(
    '30s',
    '0s',
    '1h',
    'delay before the second attempt; it doubles each time; 0: 30s',
  ),
  'status-interval': duration('30s', '0s', '9m', 'how often a status is reported again; 0: 30s'),
  'progress-interval': duration(
    '15s',
    '0s',
    '9m',
    'how often objects that are not ready are read again, besides watches; 0: 15s',
  ),
  workspace: string('.', anyText, 'folder of charts; a chart that is not there is fetched into it'),
  'default-capabilities': boolean(
    false,
    'render charts as helm template does without a cluster, whatever versions the cluster serves',
  ),
  'allow-private-endpoints': boolean(
    false,
    'accept kubeconfigs and charts with loopback and link-local addresses (tests); private addresses of kubeconfigs are always accepted',
  ),
} satisfies FlagTable;

/** Variables as those of the mothership. */
const named = <T extends FlagTable>(table: T): T =>
  Object.fromEntries(
    Object.entries<Flag>(table).map(([name, flag]) => [
      name,
      { ...flag, env: `RECONCILER_${name.replaceAll('-', '_').toUpperCase()}` },
    ]),
  ) as T;

export const componentGroups = [
  { heading: 'Options:', flags: named(common) },
  { heading: 'Server:', flags: named(serverFlags) },
  { heading: 'Mothership:', flags: named(callbackFlags) },
  { heading: 'Work:', flags: named(workFlags) },
] as const satisfies readonly FlagGroup[];

/** The parsed flags; durations in milliseconds. */
export type ComponentFlags = FlagValues<
  typeof common & typeof serverFlags & typeof callbackFlags & typeof workFlags
> & {
  /** False with `--no-login`. */
  readonly login: boolean;
  /** Renders and reports only. */
  readonly dryRun: boolean;
};
