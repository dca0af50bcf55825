import { setTimeout as sleep } from 'node:timers/promises';
import { type Step, until } from '../../e2e-context.ts';
import { withReplicas } from '../chain/module-btp.ts';
import type { PodsOptions } from '../pods-options.ts';
import {
  inCrossplane,
  kubectl,
  leader,
  untilAnotherLeads,
  untilAvailable,
  workingSet,
} from './provider-pods.ts';
import { inTheMiddleOfWork } from './work.ts';

/**
 * Faults of a cluster while the provider creates objects. Needs the chain, whose database the mappings use. After each, nothing is
 * lost, and nothing is created twice.
 */
export const faultSteps: readonly Step<PodsOptions>[] = [
  {
    title: 'the pod that leads of two is lost: the other one leads',
    run: async (options) => {
      await withReplicas(2);
      await inTheMiddleOfWork(options, 'leader', async () => {
        const { identity, pod } = await leader();
        await inCrossplane('delete', 'pod', pod, '--grace-period=0', '--force');
        options.report(`another pod leads after ${(await untilAnotherLeads(identity)).toFixed(1)} s`);
      });
    },
  },
  {
    title: 'the pod is killed by its memory limit',
    run: async (options) => {
      await withReplicas(1);
      await untilAvailable();
      await inTheMiddleOfWork(options, 'memory', async () => {
        const { identity, pod } = await leader();
        await exceedMemory(pod);
        const path = '{.status.containerStatuses[0].lastState.terminated.reason}';
        await until(async () => {
          const reason = await inCrossplane('get', 'pod', pod, `--output=jsonpath=${path}`);
          if (reason !== 'OOMKilled')
            throw new Error(`the container of ${pod} ended with ${reason || 'nothing'}`);
        });
        options.report(`the container leads again after ${(await untilAnotherLeads(identity)).toFixed(1)} s`);
      });
    },
  },
  {
    title: 'the node is drained, and comes back',
    run: (options) =>
      inTheMiddleOfWork(options, 'drain', async () => {
        const [node = ''] = (await kubectl('get', 'nodes', '--output=name')).split('\n');
        const name = node.replace('node/', '');
        // The simulators are in memory, and stand for systems that are elsewhere.
        const others = '--pod-selector=app notin (simulators, hana-cloud)';
        await kubectl('drain', name, others, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=5m');
        await kubectl('uncordon', name);
        await untilAvailable();
      }),
  },
  {
    title: 'pods do not reach the API server for a minute',
    run: (options) =>
      inTheMiddleOfWork(options, 'network', async () => {
        const { identity } = await leader();
        const restore = await options.cluster.isolatePods();
        try {
          await sleep(60_000);
        } finally {
          await restore();
        }
        options.report(`it leads again after ${(await untilAnotherLeads(identity)).toFixed(1)} s`);
        await untilAvailable();
      }),
  },
  {
    title: 'the memory of the pod is as its cgroup counts it',
    run: async ({ report }) => {
      const { pod } = await leader();
      report(`memory of the provider with all modules: ${Math.round((await workingSet(pod)) / 2 ** 20)} MiB`);
    },
  },
];

/**
 * Fills the memory of a container by processes that are each smaller than its first one: the kernel kills the largest, and prefers
 * the one whose score is raised.
 */
async function exceedMemory(pod: string): Promise<void> {
  const code = `
    require('node:fs').writeFileSync('/proc/1/oom_score_adj', '1000');
    const fill = 'const all = Buffer.alloc(16 << 20, 1); setInterval(() => all, 1000)';
    setInterval(() => require('node:child_process').spawn(process.execPath, ['-e', fill]), 300);`;
  await inCrossplane('exec', pod, '--', '/nodejs/bin/node', '-e', code).then(
    () => Promise.reject(new Error('memory was not limited')),
    () => undefined,
  );
}
