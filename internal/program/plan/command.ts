import type { Command } from 'commander';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';
import { outputOption } from '../../framework/module/console/shown.ts';
import { addConnectionFlags } from '../provider/connections/program-connections.ts';
import type { PlanFlags } from './run-plan.ts';

/** Adds `plan`. */
export function addPlanCommand(root: Command, host: ProcessLike): Command {
  const plan = root
    .command('plan')
    .summary('show what the provider would do in HANA Cloud, without doing it')
    .description(
      'Shows what the provider would create, update or delete in HANA Cloud, for manifests (in the cluster or not) or for resources of the cluster. Nothing is changed: all connections refuse writes.',
    )
    .argument('[names...]', 'resources of the cluster: NAME or KIND/NAME; namespaced ones with -n')
    .option('-f, --filename <path>', 'manifests: a file, a folder, or - for stdin; may be repeated', collect)
    .option('--delete', 'plan the deletion of the resources')
    .addOption(outputOption());
  return addConnectionFlags(plan, host.env, { externalApis: true })
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing would change in HANA Cloud, 2 something would, 1 no result',
    )
    .action(async (names: string[], flags: PlanFlags) => {
      if (names.length === 0 && flags.filename === undefined) {
        plan.error('error: name a resource, or give manifests with -f');
      }
      const { runPlan } = await import('./run-plan.ts');
      host.exitCode = await runPlan(names, flags, host);
    });
}

const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value];
