import { join } from 'node:path';
import { configMaps } from '../../../internal/framework/kube/object/resource-type.ts';
import { tool } from '../../environment/tool.ts';
import type { Step } from '../e2e-context.ts';
import { bundleSimulator } from '../simulator/bundle-simulator.ts';
import { applyManifests } from './apply-manifests.ts';
import { podsContext } from './pods-context.ts';
import { PACKAGE_VERSION, type PodsOptions, ROOT } from './pods-options.ts';
import { providerManifests, trustManifest } from './provider-manifests.ts';

const SIMULATOR_IMAGE = 'hana-cloud-simulator:e2e';
const wait = (...args: string[]) => tool('kubectl', ['wait', '--timeout=10m', ...args]);

/** Before anything is made in the cluster. */
export const toolSteps: readonly Step<PodsOptions>[] = [
  { title: 'what the cluster needs is installed', run: ({ cluster }) => cluster.prepare() },
  {
    title: 'the program is built',
    run: async () => void (await tool(process.execPath, ['hack/build.ts'], { cwd: ROOT })),
  },
];

export const startStep: Step<PodsOptions> = {
  title: 'a cluster, with a registry',
  run: ({ cluster }) => cluster.start(),
};

/** From nothing to a healthy provider, by what a user runs; the program is built. */
export const clusterSteps: readonly Step<PodsOptions>[] = [
  startStep,
  {
    title: 'Crossplane, by Helm',
    run: async ({ cluster, crossplane }) => {
      const chart = await cluster.crossplaneChart(crossplane);
      const place = ['--namespace', 'crossplane-system', '--create-namespace', '--wait', '--timeout', '10m'];
      await tool('helm', ['upgrade', '--install', 'crossplane', ...chart, ...place]);
    },
  },
  {
    title: 'HANA Cloud, simulated, in the cluster',
    run: async (options) => {
      const folder = join(options.directory, 'simulator');
      await bundleSimulator(folder);
      await options.cluster.addProgram(SIMULATOR_IMAGE, folder);
      const manifests = join(ROOT, 'test/e2e/manifests/simulator.yaml');
      await tool('kubectl', ['apply', '--server-side', '--filename', manifests]);
      await wait('deployment/hana-cloud', '--namespace=hana-cloud', '--for=condition=Available');
      const { management, simulator } = await podsContext(options);
      const { pem } = (await simulator('/ca')) as { pem: string };
      await management.objects.apply(configMaps, trustManifest(pem));
    },
  },
  {
    title:
      'the package, built with its runtime image, in the registry; Crossplane installs it, and its pod is healthy',
    run: async ({ cluster, directory }) => {
      const reference = await cluster.addPackage({ directory, version: PACKAGE_VERSION });
      await applyManifests(await providerManifests(reference));
      await wait('provider.pkg.crossplane.io/provider-kyma', '--for=condition=Healthy');
    },
  },
];

/** What to inspect first after a failure. */
export async function diagnose(print: (line: string) => void): Promise<void> {
  const questions = [
    ['get', 'nodes,pods', '--all-namespaces', '--output=wide'],
    ['get', 'providers.pkg.crossplane.io,providerrevisions.pkg.crossplane.io', '--output=yaml'],
    [
      'logs',
      '--namespace=crossplane-system',
      '--selector=pkg.crossplane.io/provider=provider-kyma',
      '--tail=50',
    ],
    ['logs', '--namespace=hana-cloud', '--selector=app=hana-cloud', '--tail=20'],
    [
      'logs',
      '--namespace=kyma-reconciler',
      '--selector=app.kubernetes.io/name=reconciler',
      '--prefix',
      '--tail=30',
    ],
    ['get', 'events', '--all-namespaces', '--sort-by=.lastTimestamp'],
  ];
  for (const question of questions) {
    print(`\n$ kubectl ${question.join(' ')}`);
    print(await tool('kubectl', question).catch((error: Error) => error.message));
  }
}
