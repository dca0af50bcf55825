import { join } from 'node:path';
import { configMaps } from '../../../internal/kube/object/resource-type.ts';
import { configMapManifest } from '../../environment/manifests.ts';
import type { Step } from '../e2e-context.ts';
import { bundleSimulator } from '../simulator/bundle-simulator.ts';
import { kindContext } from './kind-context.ts';
import { type KindOptions, PACKAGE, PACKAGE_VERSION, ROOT } from './kind-options.ts';
import { providerManifests, trust } from './provider-manifests.ts';
import { pullAddress, pushAddress, startRegistry } from './registry.ts';
import { tool } from './tool.ts';

const SIMULATOR_IMAGE = 'hana-cloud-simulator:e2e';
const RUNTIME_IMAGE = 'provider-kyma-runtime:e2e';
const e2e = join(ROOT, 'test/e2e');
const wait = (...args: string[]) => tool('kubectl', ['wait', '--timeout=10m', ...args]);

/** Before anything is made. */
export const toolSteps: readonly Step<KindOptions>[] = [
  {
    title: 'docker, kind, kubectl, helm and skopeo are installed',
    run: async () => {
      await tool('docker', ['version']);
      await tool('kind', ['version']);
      await tool('kubectl', ['version', '--client']);
      await tool('helm', ['version']);
      await tool('skopeo', ['--version']);
    },
  },
];

/** From nothing to a healthy provider, by what a user runs. */
export const clusterSteps: readonly Step<KindOptions>[] = [
  {
    title: 'a kind cluster, with a registry beside it',
    run: async ({ cluster }) => {
      await tool('kind', [
        'create',
        'cluster',
        '--name',
        cluster,
        '--config',
        join(e2e, 'manifests/kind.yaml'),
      ]);
      await startRegistry(cluster);
    },
  },
  {
    title: 'Crossplane, by Helm',
    run: async ({ crossplane }) => {
      const chart = ['crossplane', 'crossplane', '--repo', 'https://charts.crossplane.io/stable'];
      const place = ['--namespace', 'crossplane-system', '--create-namespace', '--version', crossplane];
      await tool('helm', ['upgrade', '--install', ...chart, ...place, '--wait', '--timeout', '10m']);
    },
  },
  {
    title: 'HANA Cloud, simulated, in the cluster',
    run: async (options) => {
      const folder = join(options.directory, 'simulator');
      await bundleSimulator(folder);
      const dockerfile = join(e2e, 'simulator/Dockerfile');
      await tool('docker', ['build', '--file', dockerfile, '--tag', SIMULATOR_IMAGE, folder]);
      await tool('kind', ['load', 'docker-image', SIMULATOR_IMAGE, '--name', options.cluster]);
      await tool('kubectl', ['apply', '--server-side', '--filename', join(e2e, 'manifests/simulator.yaml')]);
      await wait('deployment/hana-cloud', '--namespace=hana-cloud', '--for=condition=Available');
      const { management, simulator } = await kindContext(options);
      const { pem } = (await simulator('/ca')) as { pem: string };
      await management.objects.apply(configMaps, configMapManifest(trust, { [trust.file]: pem }));
    },
  },
  {
    title: 'the package, built with the image of package/Dockerfile and pushed',
    run: async ({ directory }) => {
      await tool(process.execPath, ['hack/build.ts'], { cwd: ROOT });
      const image = [
        '--file',
        'package/Dockerfile',
        '--platform',
        'linux/amd64',
        '--tag',
        RUNTIME_IMAGE,
        '.',
      ];
      await tool('docker', ['build', ...image], { cwd: ROOT });
      const runtime = join(directory, 'runtime.tar');
      await tool('docker', ['save', RUNTIME_IMAGE, '--output', runtime]);
      const build = ['--runtime-image', runtime, '--version', PACKAGE_VERSION, '--output', directory];
      await tool(process.execPath, ['hack/xpkg/main.ts', ...build], { cwd: ROOT });
      const tag = `v${PACKAGE_VERSION}`;
      const to = `docker://${pushAddress}/${PACKAGE}:${tag}`;
      await tool('skopeo', ['copy', '--dest-tls-verify=false', `oci:${join(directory, 'oci')}:${tag}`, to]);
    },
  },
  {
    title: 'Crossplane installs the package, and its pod becomes healthy',
    run: async () => {
      const manifests = await providerManifests(`${await pullAddress()}/${PACKAGE}:v${PACKAGE_VERSION}`);
      const input = manifests.map((each) => JSON.stringify(each)).join('\n---\n');
      await tool('kubectl', ['apply', '--server-side', '--filename', '-'], { input });
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
    ['get', 'events', '--all-namespaces', '--sort-by=.lastTimestamp'],
  ];
  for (const question of questions) {
    print(`\n$ kubectl ${question.join(' ')}`);
    print(await tool('kubectl', question).catch((error: Error) => error.message));
  }
}
