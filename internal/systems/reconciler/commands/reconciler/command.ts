import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../../../framework/base/index.ts';
import { visible } from '../../../../framework/base/text/redact.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { CLUSTER_STATUSES } from '../../mothership/model/cluster.ts';
import { CLUSTER_GROUPS } from '../../mothership/model/inventory.ts';
import type { ClusterListFlags } from './clusters.ts';
import { addConnectionOptions, type ConnectionFlags } from './connection-flags.ts';
import { listOutputOption } from './output.ts';
import type { ReconciliationListFlags } from './reconciliations.ts';
import type { RolloutListFlags } from './rollouts.ts';

const EXIT_CODES = '\nExit codes: 0 done, 1 refused or not reached, 2 invalid command line, 3 not found';

/** `provider-kyma clusters`, `reconciliations`, `operations` and `rollouts`: for operators of a mothership. */
export function addReconcilerCommands(root: Command, host: ProcessLike): void {
  addClusterCommands(root, host);
  addReconciliationCommands(root, host);
  addRolloutCommands(root, host);
}

function addClusterCommands(root: Command, host: ProcessLike): void {
  const group = root.command('clusters').description('Clusters of a mothership, with their states');
  const module = () => import('./clusters.ts');
  const command = commandsOf(group);

  command('list', 'list clusters, in the order of their ids')
    .addOption(listOutputOption())
    .addOption(statusOption())
    .option('--kyma-version <version...>', 'with one of these versions of Kyma', collect)
    .option('--search <text>', 'whose id, name, Shoot or global account contains it')
    .addOption(
      new Option('--group <group>', 'of this group; held: by a paused rollout').choices([...CLUSTER_GROUPS]),
    )
    .option('--prefix <text>', 'whose id begins with it')
    .option('--limit <n>', 'at most so many', positive, 500)
    .option('-w, --watch', 'print changes until the command is stopped')
    .action((flags: ClusterListFlags & ConnectionFlags) =>
      run('clusters list', { flags, host }, async (each) => (await module()).listClusters(flags, each)),
    );
  command('get', 'show a cluster, its configuration, its status and what failed')
    .argument('<cluster>', CLUSTER, given)
    .addOption(listOutputOption())
    .action((id: string, flags: Pick<ClusterListFlags, 'output'> & ConnectionFlags) =>
      run('clusters get', { flags, host }, async (each) => (await module()).getCluster(id, flags, each)),
    );
  command('history', 'list the statuses that a cluster had, the newest first')
    .argument('<cluster>', CLUSTER, given)
    .addOption(listOutputOption())
    .option('--since <duration>', 'how far back, e.g. 24h', duration, '168h')
    .action(
      (id: string, flags: Pick<ClusterListFlags, 'output'> & ConnectionFlags & { readonly since: string }) =>
        run('clusters history', { flags, host }, async (each) =>
          (await module()).clusterHistory(id, flags, each),
        ),
    );
  command('disable', 'stop the reconciliation of a cluster, after the run that is in progress')
    .argument('<cluster>', CLUSTER, given)
    .action((id: string, flags: ConnectionFlags) =>
      run('clusters disable', { flags, host }, async (each) => (await module()).disableCluster(id, each)),
    );
  command('enable', 'reconcile a disabled cluster again, now')
    .argument('<cluster>', CLUSTER, given)
    .action((id: string, flags: ConnectionFlags) =>
      run('clusters enable', { flags, host }, async (each) => (await module()).enableCluster(id, each)),
    );
  command('reconcile', 'start a run of a cluster now, also if a paused rollout holds it')
    .argument('<cluster>', CLUSTER, given)
    .action((id: string, flags: ConnectionFlags) =>
      run('clusters reconcile', { flags, host }, async (each) => (await module()).reconcileCluster(id, each)),
    );
  command('delete', 'delete the components of a cluster, then the cluster from the inventory')
    .argument('<cluster>', CLUSTER, given)
    .action((id: string, flags: ConnectionFlags) =>
      run('clusters delete', { flags, host }, async (each) => (await module()).deleteCluster(id, each)),
    );
}

function addReconciliationCommands(root: Command, host: ProcessLike): void {
  const group = root
    .command('reconciliations')
    .description('Runs of a mothership over the components of clusters');
  const module = () => import('./reconciliations.ts');
  const command = commandsOf(group);

  command('list', 'list reconciliations, the newest first')
    .addOption(listOutputOption())
    .option('--cluster <cluster...>', 'of these clusters: their names or runtimeIDs', collectGiven)
    .addOption(statusOption())
    .option('--before <time>', 'created before it, e.g. 2026-01-31T12:00:00Z', time)
    .option('--after <time>', 'created after it', time)
    .option('--last <n>', 'at most so many, up to 10000', positive, 100)
    .option('-w, --watch', 'print changes until the command is stopped')
    .action((flags: ReconciliationListFlags & ConnectionFlags) =>
      run('reconciliations list', { flags, host }, async (each) =>
        (await module()).listReconciliations(flags, each),
      ),
    );
  command('get', 'show a reconciliation with its operations')
    .argument('<schedulingID>', '', given)
    .addOption(listOutputOption())
    .option('-w, --watch', 'print changes of operations until the reconciliation is finished')
    .action((id: string, flags: Pick<ReconciliationListFlags, 'output' | 'watch'> & ConnectionFlags) =>
      run('reconciliations get', { flags, host }, async (each) =>
        (await module()).getReconciliation(id, flags, each),
      ),
    );
  command('debug', 'have component reconcilers log details of operations that have not begun')
    .argument('<schedulingID>', '', given)
    .argument('[correlationID]', 'one operation; default: all', given)
    .action((id: string, correlationID: string | undefined, flags: ConnectionFlags) =>
      run('reconciliations debug', { flags, host }, async (each) =>
        (await module()).debug(id, correlationID, each),
      ),
    );

  command('delete', 'delete all reconciliations of a cluster, also one that runs')
    .argument('<cluster>', CLUSTER, given)
    .action((id: string, flags: ConnectionFlags) =>
      run('reconciliations delete', { flags, host }, async (each) =>
        (await module()).deleteReconciliations(id, each),
      ),
    );

  const operations = root.command('operations').description('Components of the runs of a mothership');
  commandsOf(operations)('stop', 'leave out an operation that has not begun: it counts as done')
    .argument('<schedulingID>', '', given)
    .argument('<correlationID>', '', given)
    .requiredOption('--reason <text>', 'why, for those who look at the reconciliation later')
    .action(
      (schedulingID: string, correlationID: string, flags: ConnectionFlags & { readonly reason: string }) =>
        run('operations stop', { flags, host }, async (each) =>
          (await module()).stopOperation({ schedulingID, correlationID, reason: flags.reason }, each),
        ),
    );
}

function addRolloutCommands(root: Command, host: ProcessLike): void {
  const group = root
    .command('rollouts')
    .description('Versions and components that a mothership holds back, since they fail on many clusters');
  const module = () => import('./rollouts.ts');
  const command = commandsOf(group);

  command('list', 'list paused rollouts')
    .addOption(listOutputOption())
    .option('-a, --all', 'also those that were resumed, with who did')
    .option('-w, --watch', 'print changes until the command is stopped')
    .action((flags: RolloutListFlags & ConnectionFlags) =>
      run('rollouts list', { flags, host }, async (each) => (await module()).listRollouts(flags, each)),
    );
  command('resume', 'go on with a paused rollout, when its cause is removed')
    .argument('<rollout>', 'name of the version or component, or id of the rollout', given)
    .action((name: string, flags: ConnectionFlags) =>
      run('rollouts resume', { flags, host }, async (each) => (await module()).resumeRollout(name, each)),
    );
}

const CLUSTER = 'name or runtimeID';

const commandsOf =
  (group: Command) =>
  (name: string, description: string): Command =>
    addConnectionOptions(group.command(name).description(description)).addHelpText('after', EXIT_CODES);

const run = async (...args: Parameters<typeof import('./run-command.ts').runCommand>): Promise<void> => {
  const { runCommand } = await import('./run-command.ts');
  await runCommand(...args);
};

const statusOption = () =>
  new Option('--status <status...>', 'with one of these statuses').choices([...CLUSTER_STATUSES]);

/** With a parser, commander does not collect the values itself. */
const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value];

const collectGiven = (value: string, previous?: readonly string[]): string[] =>
  collect(given(value), previous);

/** An empty text, as of a variable of a script that is not set, is the name of a cluster without one. */
function given(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('it is empty');
}

function positive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`want a whole number above 0, not ${visible(text)}`);
}

function duration(text: string): string {
  if ((parseDuration(text) ?? -1) > 0) return text;
  throw new InvalidArgumentError('want a duration such as 90m or 24h');
}

function time(text: string): string {
  const parsed = Date.parse(text);
  if (Number.isNaN(parsed)) throw new InvalidArgumentError('want a time such as 2026-01-31T12:00:00Z');
  return new Date(parsed).toISOString();
}
