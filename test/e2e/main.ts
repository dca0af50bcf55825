/**
 * The end-to-end test on kind: `node test/e2e/main.ts`, or `make e2e`. It needs Docker and the internet. Everything it
 * creates is removed at the end, unless `--keep`. README.md describes the steps.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { argocdSteps } from './kind/argocd-steps.ts';
import { clusterSteps, diagnose, toolSteps } from './kind/cluster-steps.ts';
import { compositionSteps } from './kind/composition-steps.ts';
import { folderObjects } from './kind/folder-objects.ts';
import { kindContext } from './kind/kind-context.ts';
import type { KindOptions } from './kind/kind-options.ts';
import { removeRegistry } from './kind/registry.ts';
import { tool } from './kind/tool.ts';
import { uninstallSteps } from './kind/uninstall-steps.ts';
import { runSteps } from './run-steps.ts';
import { mappingSteps } from './steps/mapping-steps.ts';

const { values } = parseArgs({
  options: {
    cluster: { type: 'string', default: 'provider-kyma-e2e' },
    crossplane: { type: 'string', default: '2.x' },
    argocd: { type: 'string', default: 'v3.5.1' },
    repository: { type: 'string' },
    revision: { type: 'string', default: 'HEAD' },
    keep: { type: 'boolean', default: false },
  },
});
const { cluster, crossplane, argocd, repository, revision, keep } = values;
const print = (line: string) => console.log(line);
const directory = await mkdtemp(join(tmpdir(), 'kyma-e2e-'));
// The user's own clusters are not to be touched: kind, kubectl and helm know only this one.
const kubeconfig = join(directory, 'kubeconfig');
process.env.KUBECONFIG = kubeconfig;
const options: KindOptions = {
  cluster,
  crossplane,
  argocd,
  directory,
  repository: repository === undefined ? undefined : { url: repository, revision },
};
const explain = () => diagnose(print);

/** Whether all held. */
async function run(): Promise<boolean> {
  if (!(await runSteps(clusterSteps, options, print, explain))) return false;
  if (!(await runSteps(mappingSteps, await kindContext(options), print, explain))) return false;
  if ((await folderObjects('composition')).length === 0) print('left out: examples/composition is not there');
  else if (!(await runSteps(compositionSteps, options, print, explain))) return false;
  if (options.repository === undefined) print('left out: Argo CD, which needs --repository');
  else if (!(await runSteps(argocdSteps, options, print, explain))) return false;
  return runSteps(uninstallSteps, options, print, explain);
}

async function clean(): Promise<void> {
  for (const end of [() => tool('kind', ['delete', 'cluster', '--name', cluster]), removeRegistry]) {
    await end().catch((error: Error) => print(error.message));
  }
  await rm(directory, { recursive: true, force: true });
}

if (await runSteps(toolSteps, options, print)) {
  try {
    process.exitCode = (await run()) ? 0 : 1;
  } finally {
    if (keep) print(`the cluster stays: KUBECONFIG=${kubeconfig}`);
    else await clean();
  }
} else {
  process.exitCode = 1;
  await rm(directory, { recursive: true, force: true });
}
