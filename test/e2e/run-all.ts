import { argocdSteps } from './pods/argocd-steps.ts';
import { chainSteps } from './pods/chain-steps.ts';
import { clusterSteps, diagnose } from './pods/cluster-steps.ts';
import { compositionSteps } from './pods/composition-steps.ts';
import { podsContext } from './pods/pods-context.ts';
import type { PodsOptions } from './pods/pods-options.ts';
import { uninstallSteps } from './pods/uninstall-steps.ts';
import { runSteps } from './run-steps.ts';
import { mappingSteps } from './steps/mapping-steps.ts';

/** Runs every step on a cluster that is prepared. Returns whether all held; the first failure ends it. */
export async function runAll(options: PodsOptions, print: (line: string) => void): Promise<boolean> {
  const explain = () => diagnose(print);
  if (!(await runSteps(clusterSteps, options, print, explain))) return false;
  if (!(await runSteps(mappingSteps, await podsContext(options), print, explain))) return false;
  if (!(await runSteps(await compositionSteps(options), options, print, explain))) return false;
  if (!(await runSteps(await chainSteps(options), options, print, explain))) return false;
  if (options.repository === undefined) options.leaveOut('Argo CD, which needs --repository');
  else if (!(await runSteps(argocdSteps, options, print, explain))) return false;
  return runSteps(uninstallSteps, options, print, explain);
}
