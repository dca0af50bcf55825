import { formatDuration, mask, ProviderError } from '../../../../framework/base/index.ts';
import { printed, table } from '../../../../framework/module/console/shown.ts';
import type {
  ClusterGroup,
  ClusterState,
  ClusterStatus,
  ClusterSummary,
  Rollout,
  StatusChange,
} from '../../client/mothership-client.ts';
import { age, type Columns, due, type ListFormat, printedList } from './output.ts';
import { type CommandRun, printList } from './run-command.ts';

export interface ClusterListFlags {
  readonly output: ListFormat;
  readonly status?: readonly ClusterStatus[];
  readonly kymaVersion?: readonly string[];
  readonly prefix?: string;
  readonly search?: string;
  readonly group?: ClusterGroup;
  readonly limit: number;
  readonly watch?: boolean;
}

export const listClusters = (flags: ClusterListFlags, run: CommandRun): Promise<void> =>
  printList(
    {
      format: flags.output,
      watch: flags.watch ?? false,
      keyOf: ({ runtimeID }) => runtimeID,
      columnsAt: clusterColumns,
      read: (signal) =>
        run.client.listClusters(
          {
            statuses: flags.status,
            kymaVersions: flags.kymaVersion,
            prefix: flags.prefix,
            search: flags.search,
            group: flags.group,
          },
          flags.limit,
          signal,
        ),
    },
    run,
  );

/** Cluster, configuration and status, with the failures of its run. */
export async function getCluster(
  cluster: string,
  flags: { readonly output: ListFormat },
  run: CommandRun,
): Promise<void> {
  const { client, output, signal } = run;
  const { runtimeID, summary } = await findCluster(cluster, run);
  const state = await client.clusterState(runtimeID, signal);
  const { failures, statusURL } = await client.clusterStatus(runtimeID, signal);
  const rollouts = summary?.held ? await pausedRolloutsOf(state, run) : [];
  const configuration = withoutSecrets(state.configuration);
  const value = { ...state, configuration, statusURL, failures, held: rollouts.length > 0, rollouts };
  const { output: format } = flags;
  const text = printed(
    format === 'wide' ? 'table' : format,
    value,
    ({ cluster, configuration, status, ...shown }) => {
      const configured = new Set(configuration.components.map(({ component }) => component));
      // The mothership has steps of its own, which may fail as well: CRDs, cleaner.
      const others = shown.failures.filter(({ component }) => !configured.has(component));
      const components = [
        ...configuration.components.map(({ component, namespace, version }) => [
          component,
          namespace || '-',
          version || '-',
          shown.failures.find((failure) => failure.component === component)?.reason ?? '-',
        ]),
        ...others.map(({ component, reason }) => [component, '-', '-', reason]),
      ];
      const pairs = [
        ['Runtime', cluster.runtimeID],
        ['Name', cluster.runtime.name],
        ['Status', `${status.status}, for ${age(status.created, Date.now())}`],
        ['Held by', shown.rollouts.map(({ kind, name }) => `${kind} ${name}`).join(', ')],
        ['Kyma', [configuration.kymaVersion, configuration.kymaProfile].filter(Boolean).join(', ')],
        ['Versions', `cluster ${cluster.version}, configuration ${configuration.version}`],
        ['Shoot', cluster.metadata.shootName],
        ['Region', cluster.metadata.region],
        ['Global account', cluster.metadata.globalAccountID],
        ['Status URL', shown.statusURL],
      ];
      const lines = pairs
        .filter(([, text]) => text !== '')
        .map(([name, text]) => `${`${name}:`.padEnd(16)}${text}\n`);
      return `${lines.join('')}\n${table(['COMPONENT', 'NAMESPACE', 'VERSION', 'FAILURE'], components)}`;
    },
  );
  output.print(text);
}

/** What is printed is kept by terminals and logs. The API shows the values. */
const withoutSecrets = (configuration: ClusterState['configuration']): ClusterState['configuration'] => ({
  ...configuration,
  components: configuration.components.map(({ configuration: entries = [], ...component }) => ({
    ...component,
    configuration: entries.map((entry) => (entry.secret ? { ...entry, value: mask } : entry)),
  })),
});

/** Rollouts that hold the cluster back. */
async function pausedRolloutsOf(
  { configuration }: ClusterState,
  { client, signal }: CommandRun,
): Promise<readonly Rollout[]> {
  const components = new Set(configuration.components.map(({ component }) => component));
  return (await client.listRollouts(signal)).filter(
    ({ paused, kind, name }) =>
      paused && (kind === 'version' ? name === configuration.kymaVersion : components.has(name)),
  );
}

export async function clusterHistory(
  cluster: string,
  flags: { readonly output: ListFormat; readonly since: string },
  run: CommandRun,
): Promise<void> {
  const { client, output, signal } = run;
  const changes = await client.statusChanges(await clusterIDOf(cluster, run), flags.since, signal);
  output.print(printedList(flags.output, changes, statusChangeColumns));
}

/** Says which status the cluster has then. */
export async function disableCluster(cluster: string, run: CommandRun): Promise<void> {
  const runtimeID = await clusterIDOf(cluster, run);
  const answer = await run.client.setStatus(runtimeID, 'reconcile_disabled', run.signal);
  run.output.info(`cluster ${cluster} is ${answer.status}`);
}

/** Says which status the cluster has then. */
export async function enableCluster(cluster: string, run: CommandRun): Promise<void> {
  const runtimeID = await clusterIDOf(cluster, run);
  const { status } = (await run.client.clusterState(runtimeID, run.signal)).status;
  assertMayRun(cluster, 'enable', IN_DELETION[status]);
  const answer = await run.client.setStatus(runtimeID, 'reconcile_pending', run.signal);
  run.output.info(`cluster ${cluster} is ${answer.status}`);
}

/** Statuses in which a run would install again what a deletion removes. */
const IN_DELETION: Partial<Record<ClusterStatus, string>> = {
  delete_pending: 'it is being deleted',
  deleting: 'it is being deleted',
  delete_error_retryable: 'it is being deleted',
  delete_error: 'its deletion has failed; clusters delete tries it again',
};

/** Statuses in which a run of the components cannot be started. */
const NO_RUN: Partial<Record<ClusterStatus, string>> = {
  ...IN_DELETION,
  reconcile_disabled: 'its reconciliation is disabled; clusters enable starts it again',
};

/** @throws terminal */
function assertMayRun(cluster: string, verb: string, problem: string | undefined): void {
  if (problem !== undefined)
    throw new ProviderError('terminal', `cannot ${verb} cluster ${cluster}: ${problem}`);
}

/** Starts a run now, whatever the interval and paused rollouts say. One that is in progress goes on. */
export async function reconcileCluster(cluster: string, run: CommandRun): Promise<void> {
  const runtimeID = await clusterIDOf(cluster, run);
  const { status } = (await run.client.clusterState(runtimeID, run.signal)).status;
  assertMayRun(cluster, 'reconcile', NO_RUN[status]);
  if (status === 'reconciling') return run.output.info(`cluster ${cluster} is reconciling already`);
  const answer = await run.client.setStatus(runtimeID, 'reconcile_pending', run.signal);
  run.output.info(`cluster ${cluster} is ${answer.status}: its run starts now`);
}

export async function deleteCluster(cluster: string, run: CommandRun): Promise<void> {
  const answer = await run.client.deleteCluster(await clusterIDOf(cluster, run), {
    signal: run.signal,
  });
  run.output.info(`cluster ${cluster} is ${answer.status}; it is not found any more when it is deleted`);
}

/** @param nowMs ages are counted until then */
const clusterColumns = (nowMs: number): Columns<ClusterSummary> => ({
  headings: ['NAME', 'RUNTIME', 'STATUS', 'SINCE', 'VERSION', 'ERRORS', 'NEXT RUN'],
  wideHeadings: ['SHOOT', 'GLOBAL ACCOUNT', 'PLAN', 'CONFIGURATION'],
  cells: ({ name, runtimeID, status, since, kymaVersion, errors, nextRun, held, ...wide }) => [
    name,
    runtimeID,
    status,
    age(since, nowMs),
    kymaVersion,
    errors,
    held ? 'held' : due(nextRun, nowMs),
    wide.shoot,
    wide.globalAccountID,
    wide.plan,
    wide.configurationVersion,
  ],
});

const statusChangeColumns: Columns<StatusChange> = {
  headings: ['STARTED', 'STATUS', 'DURATION'],
  wideHeadings: [],
  // In nanoseconds; whole seconds are enough for people.
  cells: ({ started, status, duration }) => [
    started,
    status,
    formatDuration(Math.round(duration / 1e9) * 1000),
  ],
};

/** Clusters of one name that a message lists. */
const MAX_LISTED = 10;

interface FoundCluster {
  readonly runtimeID: string;
  /** Undefined: no cluster has the name or runtimeID. The next request about it says so. */
  readonly summary: ClusterSummary | undefined;
}

/**
 * Finds a cluster by its name or its runtimeID.
 *
 * @throws terminal if several clusters have the name
 */
export async function findCluster(
  text: string,
  { client, signal }: Pick<CommandRun, 'client' | 'signal'>,
): Promise<FoundCluster> {
  const found = (await client.listClusters({ cluster: text }, MAX_LISTED, signal)).filter(
    ({ runtimeID, name }) => runtimeID === text || name === text,
  );
  const exact = found.find(({ runtimeID }) => runtimeID === text) ?? found[0];
  if (exact === undefined || exact.runtimeID === text || found.length === 1) {
    return { runtimeID: exact?.runtimeID ?? text, summary: exact };
  }
  const ids = found.map(({ runtimeID }) => runtimeID).join(', ');
  throw new ProviderError(
    'terminal',
    `cannot tell which cluster ${text} is: several have this name; give one of ${ids}`,
  );
}

/** The runtimeID of a cluster, as `findCluster` finds it. */
export const clusterIDOf = async (
  text: string,
  run: Pick<CommandRun, 'client' | 'signal'>,
): Promise<string> => (await findCluster(text, run)).runtimeID;
