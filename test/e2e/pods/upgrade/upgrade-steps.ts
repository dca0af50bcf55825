import { join } from 'node:path';
import { tool } from '../../../environment/tool.ts';
import { previousVersion } from '../../clusters/previous-version.ts';
import type { Step } from '../../e2e-context.ts';
import { hold } from '../../hold.ts';
import { inCrossplane, kubectl, leader, untilAnotherLeads, untilAvailable } from '../faults/provider-pods.ts';
import { inTheMiddleOfWork } from '../faults/work.ts';
import { PACKAGE_VERSION, type PodsOptions } from '../pods-options.ts';

const PROVIDER = 'provider.pkg.crossplane.io/provider-kyma';
const BEFORE = '0.0.0-before';
const NEXT = '0.0.1-e2e';
/** Upgrades and downgrades in a row. */
const CHANGES = 10;

/** Upgrades of the package while objects are created. Needs the chain, whose database the mappings use. */
export const upgradeSteps: readonly Step<PodsOptions>[] = [
  {
    title: 'the package is downgraded to the version before, and upgraded from it',
    run: async (options) => {
      const current = await installedPackage();
      const previous = await previousVersion(options.directory);
      if (previous === undefined) {
        options.leaveOut('the upgrade from the version before: the clone has no history');
        return;
      }
      try {
        await tool(process.execPath, ['hack/build.ts'], { cwd: previous.root });
        const directory = join(options.directory, BEFORE);
        const before = await options.cluster.addPackage({ version: BEFORE, directory, root: previous.root });
        options.report(`the version before: ${previous.name}`);
        await inTheMiddleOfWork(options, 'downgrade', async () => void (await changePackage(before)));
        await inTheMiddleOfWork(options, 'upgrade', async () => void (await changePackage(current)));
      } finally {
        await previous.remove();
      }
    },
  },
  {
    title: `${CHANGES} upgrades and downgrades in a row`,
    run: async (options) => {
      const current = await installedPackage();
      const directory = join(options.directory, NEXT);
      const next = await options.cluster.addPackage({ version: NEXT, directory });
      const seconds: number[] = [];
      await inTheMiddleOfWork(options, 'upgrades', async () => {
        for (let i = 0; i < CHANGES; i++) seconds.push(await changePackage(i % 2 === 0 ? next : current));
      });
      options.report(
        `the pod of the new package leads after ${seconds.map((each) => each.toFixed(1)).join(', ')} s`,
      );
      hold((await installedPackage()) === current, `${PACKAGE_VERSION} is not installed again`);
      await untilAvailable();
    },
  },
];

/** As a user changes it. @returns seconds until a pod of the new package leads */
async function changePackage(reference: string): Promise<number> {
  const { identity } = await leader();
  const patch = JSON.stringify({ spec: { package: reference } });
  await kubectl('patch', PROVIDER, '--type=merge', '-p', patch);
  const seconds = await untilAnotherLeads(identity);
  await kubectl('wait', PROVIDER, '--for=condition=Healthy', '--timeout=5m');
  const { pod } = await leader();
  // Until then another change would replace a pod that has not ended.
  const revision = await kubectl('get', PROVIDER, '--output=jsonpath={.status.currentRevision}');
  hold(pod.startsWith(revision), `${pod} leads, and not a pod of ${revision}`);
  await inCrossplane('rollout', 'status', `deployment/${revision}`, '--timeout=5m');
  return seconds;
}

const installedPackage = (): Promise<string> => kubectl('get', PROVIDER, '--output=jsonpath={.spec.package}');
