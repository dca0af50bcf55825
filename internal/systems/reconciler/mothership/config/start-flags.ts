/**
 * Flags of `mothership start`, by the names and defaults of the Go program where it has them. Each has an environment
 * variable `RECONCILER_<FLAG>`; the command line has precedence.
 */
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
  type TextForm,
} from '../../../../framework/process/flag.ts';
import { logFormatFlag } from '../../../../framework/process/telemetry/log-format.ts';

const INTERVALS = ['1ms', '8760h'] as const;

const common = {
  config: string('configs/reconciler.yaml', anyText, 'configuration file', { short: 'c' }),
  verbose: boolean(false, 'log details', { short: 'v' }),
  'log-format': logFormatFlag,
} satisfies FlagTable;

const serverFlags = {
  'server-port': integer(8080, 0, 65_535, 'port of the APIs, metrics and probes; 0 takes any free one'),
  'server-crt': string('', anyText, 'file with the certificate (PEM) of the server; empty: HTTP'),
  'server-key': string('', anyText, 'file with the private key (PEM) of the server'),
  'allow-private-endpoints': boolean(
    false,
    'accept kubeconfigs with loopback and link-local addresses (tests); private addresses are always accepted',
  ),
  kubeconfig: string(
    '',
    anyText,
    "kubeconfig file of the control plane, which has the Secrets kubeconfig-<runtimeID>; empty: the pod's service account, if there is one",
  ),
} satisfies FlagTable;

const databaseFlags = {
  'database-url': string(
    '',
    anyText,
    'Postgres, e.g. postgres://user:password@host:5432/reconciler; several hosts, separated by commas, are a primary and its standbys',
  ),
  'data-dir': string('', anyText, 'folder of an embedded database, for a single process'),
  'migrate-database': boolean(false, 'bring the tables to the version of this program, then start'),
  'stop-after-migrate': boolean(false, 'end after --migrate-database'),
  'create-encryption-key': boolean(false, 'make the file with the encryption key if there is none'),
} satisfies FlagTable;

const schedulingFlags = {
  'max-parallel': integer(0, 0, 10_000, 'operations of one cluster at the same time; 0: 25'),
  'worker-count': integer(50, 1, 10_000, 'tasks that are sent to component reconcilers at the same time'),
  'orphan-timeout': duration(
    '10m',
    ...INTERVALS,
    'an operation without a sign of life is sent again after it',
  ),
  'watch-interval': duration(
    '1m',
    ...INTERVALS,
    'how often clusters to reconcile are searched for, besides notifications',
  ),
  'reconcile-interval': duration('5m', ...INTERVALS, 'a ready cluster is reconciled again after it'),
  'rollout-min-clusters': integer(
    20,
    1,
    1_000_000,
    'a version or component that ran on fewer clusters within an hour is never paused',
  ),
  'rollout-max-failed-percent': integer(
    15,
    0,
    100,
    'a version or component that fails on more of its clusters is paused; 100: never',
  ),
} satisfies FlagTable;

const cleanerFlags = {
  'cleaner-interval': duration('14h', ...INTERVALS, 'how often old records are deleted'),
  'purge-older-than': duration(
    '336h',
    ...INTERVALS,
    'reconciliations are deleted after it; not used with --reconciliations-keep-n-latest (deprecated)',
  ),
  'reconciliations-keep-n-latest': integer(
    0,
    0,
    1_000_000,
    'reconciliations of a cluster that are kept; 0: --purge-older-than decides',
  ),
  'recon-max-age-days': integer(
    0,
    0,
    36_500,
    'older reconciliations are deleted, except the newest of a cluster',
  ),
  'inventory-max-age-days': integer(0, 0, 36_500, 'older data of deleted clusters is deleted; 0: never'),
  'status-cleanup-batch-size': integer(200, 100, 100_000, 'statuses that are deleted at once'),
} satisfies FlagTable;

/** Bounds of statuses that a newer one has replaced. */
const statusFlags = {
  'statuses-keep-n-latest': integer(1000, 1, 10_000_000, 'statuses of a cluster that are kept'),
  'statuses-max-age-days': integer(
    14,
    1,
    36_500,
    'older statuses are deleted, except the newest of each configuration',
  ),
} satisfies FlagTable;

const auditFlags = {
  'audit-log': boolean(false, 'write a line for each change that a client of the API asks for'),
  'audit-log-file': string('/var/log/auditlog/mothership-audit.log', anyText, 'file of the audit log'),
  'audit-log-tenant-id': string('', anyText, 'tenant in the audit log'),
} satisfies FlagTable;

/** Stands for the ID of the Runtime, or the name of the Shoot, in the address of a link. */
export const LINK_NAME = '{name}';

const linkForm: TextForm = {
  description: `URL with ${LINK_NAME}`,
  accepts: (text) =>
    text === '' ||
    (anyText.accepts(text) &&
      text.includes(LINK_NAME) &&
      /^https?:$/.test(URL.parse(text.replaceAll(LINK_NAME, 'name'))?.protocol ?? '')),
};

const pageFlags = {
  'runtime-link': string(
    '',
    linkForm,
    `where the page for operators shows a Runtime, e.g. https://dashboard.example.org/runtimes/${LINK_NAME}; ${LINK_NAME} is its ID`,
  ),
  'shoot-link': string(
    '',
    linkForm,
    `where the page for operators shows a Shoot, e.g. https://dashboard.example.org/namespace/garden-kyma/shoots/${LINK_NAME}`,
  ),
} satisfies FlagTable;

const loginFlags = {
  'oidc-issuer-url': string('', anyText, 'issuer of bearer tokens (OpenID Connect); empty: no login'),
  'oidc-client-id': string('', anyText, 'audience that tokens must have'),
  'oidc-ca-file': string('', anyText, 'certificates (PEM) to trust for the issuer, besides those of Node'),
  'page-url': string(
    '',
    anyText,
    'scheme://host:port by which browsers reach the page, to return to after a login; empty: as in the configuration file',
  ),
  'oidc-username-claim': string('sub', anyText, 'claim with the name of the user'),
  'oidc-groups-claim': string('groups', anyText, 'claim with the groups of the user'),
  'viewer-group': string('reconciler-viewer', anyText, 'group that may read'),
  'operator-group': string(
    'reconciler-operator',
    anyText,
    'group that may also register, change and delete clusters, e.g. the environment broker',
  ),
  'admin-group': string(
    'reconciler-admin',
    anyText,
    'group that may also set statuses, stop and delete runs, and resume rollouts',
  ),
  'client-ca-file': string(
    '',
    anyText,
    'certificates (PEM) of the authority of component reconcilers: callbacks and occupancy need a client certificate then',
  ),
} satisfies FlagTable;

const componentFlags = {
  'component-token-file': string(
    '',
    anyText,
    'file with the bearer token that component reconcilers get; it may be replaced',
  ),
  'component-client-crt': string(
    '',
    anyText,
    'file with the certificate (PEM) that component reconcilers know this process by',
  ),
  'component-client-key': string('', anyText, 'file with its private key (PEM)'),
  'component-ca-file': string(
    '',
    anyText,
    'certificates (PEM) to trust for component reconcilers, besides those of Node',
  ),
} satisfies FlagTable;

/** Flags by the name of the Go program, in front of its variables. */
const named = <T extends FlagTable>(table: T): T =>
  Object.fromEntries(
    Object.entries<Flag>(table).map(([name, flag]) => [
      name,
      { ...flag, env: `RECONCILER_${name.replaceAll('-', '_').toUpperCase()}` },
    ]),
  ) as T;

const commonFlags = named(common);

export const mothershipGroups = [
  { heading: 'Options:', flags: commonFlags },
  { heading: 'Server:', flags: named(serverFlags) },
  { heading: 'Login:', flags: named(loginFlags) },
  { heading: 'Page for operators:', flags: named(pageFlags) },
  { heading: 'Component reconcilers:', flags: named(componentFlags) },
  { heading: 'Database:', flags: named(databaseFlags) },
  { heading: 'Scheduling:', flags: named(schedulingFlags) },
  { heading: 'Retention:', flags: named({ ...cleanerFlags, ...statusFlags }) },
  { heading: 'Audit log:', flags: named(auditFlags) },
] as const satisfies readonly FlagGroup[];

/** The parsed flags; durations in milliseconds. */
export type MothershipFlags = FlagValues<
  typeof common &
    typeof serverFlags &
    typeof loginFlags &
    typeof pageFlags &
    typeof componentFlags &
    typeof databaseFlags &
    typeof schedulingFlags &
    typeof cleanerFlags &
    typeof statusFlags &
    typeof auditFlags
> & {
  /** False with `--no-login`. */
  readonly login: boolean;
};

/** Of the migration from the Go program, which leaves out what would be deleted. */
export const statusGroup = { heading: 'Retention:', flags: named(statusFlags) } as const satisfies FlagGroup;

/** Flags that commands on the database share with `start`. */
export const databaseGroups = [
  { heading: 'Options:', flags: commonFlags },
  {
    heading: 'Database:',
    flags: named({
      'database-url': databaseFlags['database-url'],
      'data-dir': databaseFlags['data-dir'],
    }),
  },
] as const satisfies readonly FlagGroup[];
