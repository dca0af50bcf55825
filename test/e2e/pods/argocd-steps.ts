import { join } from 'node:path';
import { tool } from '../../environment/tool.ts';
import { argoApplications } from '../../gitops/argo-applications.ts';
import { type Step, until } from '../e2e-context.ts';
import { putSources, source } from '../steps/sources.ts';
import { podsContext } from './pods-context.ts';
import { type PodsOptions, ROOT } from './pods-options.ts';

const NAMESPACE = 'argocd';
const APPLICATION = 'e2e';
const kubectl = (...args: string[]) => tool('kubectl', [`--namespace=${NAMESPACE}`, ...args]);

/** Argo CD syncs a mapping from this repository with the settings and the sync policy of examples/argocd. */
export const argocdSteps: readonly Step<PodsOptions>[] = [
  {
    title: 'Argo CD is installed, with the settings of examples/argocd',
    run: async ({ argocd }) => {
      const manifests = `https://raw.githubusercontent.com/argoproj/argo-cd/${argocd}/manifests/install.yaml`;
      await tool('kubectl', ['create', 'namespace', NAMESPACE]);
      await kubectl('apply', '--server-side', '--filename', manifests);
      // With a field manager of its own, as the example does: with Argo CD's, a later apply would remove the keys.
      const settings = join(ROOT, 'examples/argocd/argocd-cm.yaml');
      await kubectl('apply', '--server-side', '--field-manager=provider-kyma', '--filename', settings);
      await kubectl('wait', 'deployment', '--all', '--for=condition=Available', '--timeout=10m');
      await kubectl('rollout', 'status', 'statefulset/argocd-application-controller', '--timeout=10m');
    },
  },
  {
    title: 'a mapping from the repository is synced and healthy',
    run: async ({ repository }) => {
      if (repository === undefined) throw new Error('no repository is given');
      const input = JSON.stringify(await applicationOf(repository));
      await tool('kubectl', ['apply', '--server-side', '--filename', '-'], { input });
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
];

/** The Application of the mappings in examples/argocd, with this test's source. */
async function applicationOf({ url, revision }: NonNullable<PodsOptions['repository']>) {
  const example = (await argoApplications()).find(({ metadata }) => metadata.name === 'hana-mappings');
  if (example === undefined) throw new Error('examples/argocd has no Application hana-mappings');
  const { annotations, finalizers } = example.metadata;
  return {
    ...example,
    metadata: { name: APPLICATION, namespace: NAMESPACE, annotations, finalizers },
    spec: {
      ...example.spec,
      source: { repoURL: url, targetRevision: revision, path: 'test/e2e/manifests/argocd' },
    },
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
