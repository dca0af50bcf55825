import { loadavg } from 'node:os';
import { join } from 'node:path';
import { tool } from '../../../environment/tool.ts';
import { previousVersion } from '../../clusters/previous-version.ts';
import type { Step } from '../../e2e-context.ts';
import { hold } from '../../hold.ts';
import {
  apiOfKubectl,
  inCrossplane,
  kubectl,
  LEASE,
  leader,
  untilAnotherLeads,
  untilAvailable,
} from '../faults/provider-pods.ts';
import { inTheMiddleOfWork } from '../faults/work.ts';
import { PACKAGE_VERSION, type PodsOptions } from '../pods-options.ts';
import { recordObjects } from '../record-objects.ts';
import { describeTimeline, TIMELINE_TYPES, upgradeTimeline } from './upgrade-timeline.ts';

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
      const recorded = await recordObjects('crossplane-system', TIMELINE_TYPES);
      const changes: PackageChange[] = [];
      await inTheMiddleOfWork(options, 'upgrades', async () => {
        for (let i = 0; i < CHANGES; i++) changes.push(await changePackage(i % 2 === 0 ? next : current));
      });
      const events = await recorded();
      for (const change of changes) {
        const timeline = upgradeTimeline(events, { ...change, lease: LEASE });
        options.report(`seconds after a change of the package: ${describeTimeline(timeline)}`);
      }
      const seconds = changes.map((change) => change.seconds.toFixed(1)).join(', ');
      options.report(`the pod of the new package leads after ${seconds} s; load ${loadavg()[0]?.toFixed(1)}`);
      hold((await installedPackage()) === current, `${PACKAGE_VERSION} is not installed again`);
      await untilAvailable();
    },
  },
];

interface PackageChange {
  /** By `performance.now`. */
  readonly changedAt: number;
  /** Until a pod of the new package leads. */
  readonly seconds: number;
  /** Name of the new ProviderRevision. */
  readonly revision: string;
}

/** As a user changes it. */
async function changePackage(reference: string): Promise<PackageChange> {
  const { identity } = await leader();
  const request = await apiOfKubectl();
  const changedAt = performance.now();
  const { status } = await request('/apis/pkg.crossplane.io/v1/providers/provider-kyma', {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { spec: { package: reference } },
  });
  hold(status === 200, `the package is not changed: ${status}`);
  await untilAnotherLeads(identity);
  const seconds = (performance.now() - changedAt) / 1000;
  await kubectl('wait', PROVIDER, '--for=condition=Healthy', '--timeout=5m');
  const { pod } = await leader();
  // Until then another change would replace a pod that has not ended.
  const revision = await kubectl('get', PROVIDER, '--output=jsonpath={.status.currentRevision}');
  hold(pod.startsWith(revision), `${pod} leads, and not a pod of ${revision}`);
  await inCrossplane('rollout', 'status', `deployment/${revision}`, '--timeout=5m');
  return { changedAt, seconds, revision };
}

const installedPackage = (): Promise<string> => kubectl('get', PROVIDER, '--output=jsonpath={.spec.package}');
