import { join } from 'node:path';
import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { groupResource } from '../../../internal/framework/kube/object/resource-type.ts';
import { listOf } from '../../environment/manifests.ts';
import { tool } from '../../environment/tool.ts';
import { argoApplications } from '../../gitops/argo-applications.ts';
import type { ArgoCdInstallation } from '../clusters/test-cluster.ts';
import { type Step, until } from '../e2e-context.ts';
import { hold } from '../hold.ts';
import { putSources, source } from '../steps/sources.ts';
import { podsContext } from './pods-context.ts';
import { type PodsOptions, ROOT } from './pods-options.ts';

const NAMESPACE = 'argocd';
const APPLICATION = 'e2e';
const kubectl = (...args: string[]) => tool('kubectl', [`--namespace=${NAMESPACE}`, ...args]);

/** What Argo CD syncs. */
const FOLDER = 'test/e2e/manifests/argocd';

/** Argo CD syncs a mapping with the settings and the sync policy of examples/argocd. No steps, with the reason, if it cannot be had. */
export async function argocdSteps(options: PodsOptions): Promise<readonly Step<PodsOptions>[]> {
  const { cluster, argocd: version, repository, directory } = options;
  try {
    return stepsOf(await cluster.addArgoCd({ version, repository, folder: FOLDER, directory }));
  } catch (error) {
    options.leaveOut(`examples/argocd: ${messageOf(error)}`);
    return [];
  }
}

const stepsOf = (installation: ArgoCdInstallation): readonly Step<PodsOptions>[] => [
  {
    title: 'Argo CD is installed, with the settings of examples/argocd',
    run: async () => {
      await tool('kubectl', ['create', 'namespace', NAMESPACE]);
      await kubectl('apply', '--server-side', '--filename', installation.manifests);
      // With a field manager of its own, as the example does: with Argo CD's, a later apply would remove the keys.
      const settings = join(ROOT, 'examples/argocd/argocd-cm.yaml');
      await kubectl('apply', '--server-side', '--field-manager=provider-kyma', '--filename', settings);
      await tool('kubectl', [
        'wait',
        'crd/appprojects.argoproj.io',
        '--for=condition=Established',
        '--timeout=1m',
      ]);
      // Argo CD's API server makes the project, where it is installed.
      await applyObjects([PROJECT, ...installation.objects]);
      await kubectl('wait', 'deployment', '--all', '--for=condition=Available', '--timeout=10m');
      await kubectl('rollout', 'status', 'statefulset/argocd-application-controller', '--timeout=10m');
    },
  },
  {
    title: 'a mapping from the repository is synced and healthy',
    run: async () => {
      await applyObjects([await applicationOf(installation)]);
      await untilHealthy();
    },
  },
  {
    title: 'its health is that of the mapping: without its source it is not healthy',
    run: async () => {
      const { name, namespace } = source.config;
      await tool('kubectl', ['delete', 'configmap', name, `--namespace=${namespace}`]);
      await untilApplication((found) => {
        if (found.endsWith('Healthy')) throw new Error(`the Application is ${found}`);
      });
    },
  },
  {
    title: 'the source comes back, and it is healthy again',
    run: async (options) => {
      await putSources(await podsContext(options));
      await untilHealthy();
    },
  },
  {
    title: 'the Application is deleted, and its mapping with it',
    run: async () => {
      await kubectl('delete', 'application', APPLICATION, '--timeout=5m');
      const kind = groupResource(kymaInstanceMappings);
      const left = await tool('kubectl', ['get', kind, 'argocd', '--ignore-not-found', '--output=name']);
      hold(left === '', `${left.trim()} is left`);
      // The steps after it have the CPU to themselves.
      await tool('kubectl', ['delete', 'namespace', NAMESPACE, '--timeout=5m']);
    },
  },
];

const PROJECT = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'default' },
  spec: {
    sourceRepos: ['*'],
    destinations: [{ namespace: '*', server: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  },
};

const applyObjects = (objects: readonly unknown[]) =>
  tool('kubectl', ['apply', '--server-side', `--namespace=${NAMESPACE}`, '--filename', '-'], {
    input: listOf(objects),
  });

/** The Application of the mappings in examples/argocd, with this test's source. */
async function applicationOf({ source: found }: ArgoCdInstallation) {
  const example = (await argoApplications()).find(({ metadata }) => metadata.name === 'hana-mappings');
  if (example === undefined) throw new Error('examples/argocd has no Application hana-mappings');
  const { annotations, finalizers } = example.metadata;
  return {
    ...example,
    metadata: { name: APPLICATION, namespace: NAMESPACE, annotations, finalizers },
    spec: { ...example.spec, source: found },
  };
}

const untilHealthy = () =>
  untilApplication((found) => {
    if (found !== 'Synced Healthy') throw new Error(`the Application is ${found}`);
  });

const untilApplication = (check: (found: string) => void) =>
  until(async () => {
    const path = '{.status.sync.status} {.status.health.status}';
    check(await kubectl('get', 'application', APPLICATION, `--output=jsonpath=${path}`));
  });
