/**
 * The end-to-end test: `node test/e2e/main.ts`, or `make e2e`. `--on kind` needs Docker and the internet, `--on node` root on
 * Linux. Everything it creates is removed at the end, unless `--keep`. README.md describes the steps.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseCluster } from './clusters/choose-cluster.ts';
import { DEFAULT_CROSSPLANE } from './clusters/test-cluster.ts';
import { toolSteps } from './pods/cluster-steps.ts';
import type { PodsOptions } from './pods/pods-options.ts';
import { runAll, runReconciler } from './run-all.ts';
import { runSteps } from './run-steps.ts';

const { values } = parseArgs({
  options: {
    on: { type: 'string' },
    cluster: { type: 'string', default: 'provider-kyma-e2e' },
    crossplane: { type: 'string', default: DEFAULT_CROSSPLANE },
    argocd: { type: 'string' },
    repository: { type: 'string' },
    revision: { type: 'string', default: 'HEAD' },
    only: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const { crossplane, argocd, repository, revision, keep } = values;
if (values.only !== undefined && values.only !== 'reconciler')
  throw new Error(`--only ${values.only}: there is \`reconciler\``);
const run = values.only === undefined ? runAll : runReconciler;
const print = (line: string) => console.log(line);
const startedAt = performance.now();
const cluster = await chooseCluster(values.on, { name: values.cluster, report: print });
const directory = await mkdtemp(join(tmpdir(), 'kyma-e2e-'));
// The user's own clusters are not to be touched: kind, kubectl and helm know only this one.
process.env.KUBECONFIG = join(directory, 'kubeconfig');
const options: PodsOptions = {
  cluster,
  crossplane,
  argocd,
  directory,
  repository: repository === undefined ? undefined : { url: repository, revision },
  leaveOut: (what) => print(`left out: ${what}`),
  report: print,
};
async function clean(): Promise<void> {
  await cluster.stop().catch((error: Error) => print(error.message));
  await rm(directory, { recursive: true, force: true });
}

if (await runSteps(toolSteps, options, print)) {
  try {
    process.exitCode = (await run(options, print)) ? 0 : 1;
    print(
      `${cluster.name}, Crossplane ${crossplane}: ${Math.round((performance.now() - startedAt) / 1000)} s`,
    );
  } finally {
    if (keep) {
      print(`the cluster stays: KUBECONFIG=${process.env.KUBECONFIG}`);
      // A node ends with the process that started it.
      if (cluster.name === 'node') await new Promise(() => setInterval(() => undefined, 60_000));
    } else {
      await clean();
    }
  }
} else {
  process.exitCode = 1;
  await rm(directory, { recursive: true, force: true });
}
