import { argocdSteps } from './pods/argocd-steps.ts';
import { chainSteps } from './pods/chain/chain-steps.ts';
import { clusterSteps, diagnose, startStep } from './pods/cluster-steps.ts';
import { compositionSteps } from './pods/composition-steps.ts';
import { faultSteps } from './pods/faults/fault-steps.ts';
import { journeySteps, reconcilerSteps } from './pods/journeys/journey-steps.ts';
import { podsContext } from './pods/pods-context.ts';
import type { PodsOptions } from './pods/pods-options.ts';
import { uninstallSteps } from './pods/uninstall-steps.ts';
import { upgradeSteps } from './pods/upgrade/upgrade-steps.ts';
import { runSteps } from './run-steps.ts';
import { mappingSteps } from './steps/mapping-steps.ts';

/**
 * Runs the steps on a cluster that is prepared. Returns whether all held; the first failure ends it.
 *
 * @param short the package is installed, mappings and composite resources become Ready, and it is uninstalled. Default: also faults,
 * upgrades and the journeys of the pages
 */
export async function runAll(
  options: PodsOptions,
  print: (line: string) => void,
  { short = false }: { readonly short?: boolean } = {},
): Promise<boolean> {
  const explain = () => diagnose(print);
  if (!(await runSteps(clusterSteps, options, print, explain))) return false;
  if (!(await runSteps(mappingSteps, await podsContext(options), print, explain))) return false;
  if (!(await runSteps(await compositionSteps(options), options, print, explain))) return false;
  // Before the module btp, which would reconcile the input objects of this test's mappings.
  if (!(await runSteps(await argocdSteps(options), options, print, explain))) return false;
  const chain = await chainSteps(options);
  const begin = chain?.begin ?? [];
  const faults = short || chain === undefined ? [] : [...faultSteps, ...upgradeSteps];
  const all = [...begin, ...faults, ...(chain?.end ?? [])];
  if (!(await runSteps(all, options, print, explain))) return false;
  if (!(await runSteps(uninstallSteps, options, print, explain))) return false;
  if (short || chain === undefined) return true;
  return runSteps(journeySteps(), options, print, explain);
}

/** Runs the journey of the reconciler's chart alone, on a cluster that is prepared. Returns whether all held. */
export const runReconciler = (options: PodsOptions, print: (line: string) => void): Promise<boolean> =>
  runSteps([startStep, ...reconcilerSteps()], options, print, () => diagnose(print));
