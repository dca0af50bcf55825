import type { ClusterStatus } from '../../clients/mothership/mothership-client.ts';
import { printed } from '../../console/format.ts';
import { table } from '../../console/table.ts';
import { clusterColumns, statusChangeColumns } from './columns.ts';
import { age, type ListFormat, printedList } from './output.ts';
import { type CommandRun, printList } from './run-command.ts';

export interface ClusterListFlags {
  readonly output: ListFormat;
  readonly status?: readonly ClusterStatus[];
  readonly kymaVersion?: readonly string[];
  readonly prefix?: string;
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
          { statuses: flags.status, kymaVersions: flags.kymaVersion, prefix: flags.prefix },
          flags.limit,
          signal,
        ),
    },
    run,
  );

/** Cluster, configuration and status, with the failures of its run. */
export async function getCluster(
  runtimeID: string,
  flags: { readonly output: ListFormat },
  { client, output, signal }: CommandRun,
): Promise<void> {
  const state = await client.clusterState(runtimeID, signal);
  const { failures, statusURL } = await client.clusterStatus(runtimeID, signal);
  const value = { ...state, statusURL, failures };
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

export async function clusterHistory(
  runtimeID: string,
  flags: { readonly output: ListFormat; readonly since: string },
  { client, output, signal }: CommandRun,
): Promise<void> {
  const changes = await client.statusChanges(runtimeID, flags.since, signal);
  output.print(printedList(flags.output, changes, statusChangeColumns));
}

/** Sets a status, and says which one the cluster has then. */
export async function setStatus(
  runtimeID: string,
  status: ClusterStatus,
  { client, output, signal }: CommandRun,
): Promise<void> {
  const answer = await client.setStatus(runtimeID, status, signal);
  output.info(`cluster ${runtimeID} is ${answer.status}`);
}

export async function deleteCluster(
  runtimeID: string,
  { client, output, signal }: CommandRun,
): Promise<void> {
  const answer = await client.deleteCluster(runtimeID, { signal });
  output.info(`cluster ${runtimeID} is ${answer.status}; it is not found any more when it is deleted`);
}
