import { printed, shown } from '../../../../framework/module/console/shown.ts';
import type { ClusterStatus, Operation, Reconciliation } from '../../client/mothership-client.ts';
import { clusterIDOf } from './clusters.ts';
import { age, type Columns, due, type ListFormat, printedList } from './output.ts';
import { type CommandRun, printList } from './run-command.ts';

export interface ReconciliationListFlags {
  readonly output: ListFormat;
  readonly cluster?: readonly string[];
  readonly status?: readonly ClusterStatus[];
  readonly before?: string;
  readonly after?: string;
  readonly last: number;
  readonly watch?: boolean;
}

export async function listReconciliations(flags: ReconciliationListFlags, run: CommandRun): Promise<void> {
  const runtimeIDs =
    flags.cluster && (await Promise.all(flags.cluster.map((each) => clusterIDOf(each, run))));
  await printList(
    {
      format: flags.output,
      watch: flags.watch ?? false,
      keyOf: ({ schedulingID }) => schedulingID,
      columnsAt: reconciliationColumns,
      read: (signal) =>
        run.client.listReconciliations(
          {
            runtimeIDs,
            statuses: flags.status,
            before: flags.before,
            after: flags.after,
            last: flags.last,
          },
          signal,
        ),
    },
    run,
  );
}

/** A reconciliation with its operations; with `watch`, its operations again when they change, until it is finished. */
export async function getReconciliation(
  schedulingID: string,
  flags: { readonly output: ListFormat; readonly watch?: boolean },
  run: CommandRun,
): Promise<void> {
  const { client, output, signal } = run;
  const { output: format } = flags;
  if (flags.watch) {
    const ended = new AbortController();
    const view = {
      format,
      watch: true,
      keyOf: ({ correlationID }: { readonly correlationID: string }) => correlationID,
      columnsAt: operationColumns,
      read: async () => {
        // What the last list had is printed before the command ends.
        ended.signal.throwIfAborted();
        const { operations, finished } = await client.reconciliation(schedulingID, signal);
        if (finished) ended.abort();
        return operations;
      },
    };
    await printList(view, run).catch((error: unknown) => {
      if (!ended.signal.aborted) throw error;
    });
    return;
  }
  const info = await client.reconciliation(schedulingID, signal);
  if (format === 'json' || format === 'yaml') {
    output.print(printed(format, info, () => ''));
    return;
  }
  const now = Date.now();
  const head = shown({ status: info.status, runtimeID: info.runtimeID });
  const state = info.finished ? 'finished' : 'running';
  output.print(
    `${head.runtimeID}: ${head.status}, ${state}, created ${age(info.created, now)} ago\n\n${printedList(format, info.operations, operationColumns(now))}`,
  );
}

export async function debug(
  schedulingID: string,
  correlationID: string | undefined,
  { client, output, signal }: CommandRun,
): Promise<void> {
  await client.debug(schedulingID, correlationID, signal);
  output.info(`details of ${correlationID ?? 'all operations that have not begun'} are logged`);
}

export async function deleteReconciliations(cluster: string, run: CommandRun): Promise<void> {
  await run.client.deleteReconciliations(await clusterIDOf(cluster, run), run.signal);
  run.output.info(`the reconciliations of cluster ${cluster} are deleted`);
}

export async function stopOperation(
  operation: { readonly schedulingID: string; readonly correlationID: string; readonly reason: string },
  { client, output, signal }: CommandRun,
): Promise<void> {
  await client.stopOperation(operation, signal);
  output.info(`operation ${operation.correlationID} is left out`);
}

const reconciliationColumns = (nowMs: number): Columns<Reconciliation> => ({
  headings: ['RECONCILIATION', 'STATUS', 'FINISHED', 'AGE'],
  wideHeadings: ['RUNTIME', 'CREATED', 'UPDATED'],
  cells: ({ schedulingID, status, finished, created, runtimeID, updated }) => [
    schedulingID,
    status,
    finished ? 'yes' : 'no',
    age(created, nowMs),
    runtimeID,
    created,
    updated,
  ],
});

const operationColumns = (nowMs: number): Columns<Operation> => ({
  headings: ['PRIORITY', 'COMPONENT', 'TYPE', 'STATE', 'ATTEMPTS', 'NEXT', 'REASON'],
  wideHeadings: ['OPERATION', 'PROGRESS', 'UPDATED'],
  cells: ({ priority, component, type, state, retries, nextAttempt, reason, ...wide }) => [
    priority,
    component,
    type,
    state,
    retries,
    due(nextAttempt, nowMs),
    reason,
    wide.correlationID,
    wide.progress === undefined ? '' : JSON.stringify(wide.progress),
    wide.updated,
  ],
});
