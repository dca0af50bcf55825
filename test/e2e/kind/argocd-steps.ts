import { type Step, until } from '../e2e-context.ts';
import { putSources, source } from '../steps/sources.ts';
import { applyObjects, folderObjects } from './folder-objects.ts';
import { kindContext } from './kind-context.ts';
import type { KindOptions } from './kind-options.ts';
import { tool } from './tool.ts';

const NAMESPACE = 'argocd';
const APPLICATION = 'e2e';
const kubectl = (...args: string[]) => tool('kubectl', [`--namespace=${NAMESPACE}`, ...args]);

/** Argo CD keeps a mapping from this repository, and says of it what the health checks of examples/argocd say. */
export const argocdSteps: readonly Step<KindOptions>[] = [
  {
    title: 'Argo CD is installed, with the settings of examples/argocd',
    run: async ({ argocd }) => {
      const manifests = `https://raw.githubusercontent.com/argoproj/argo-cd/${argocd}/manifests/install.yaml`;
      await tool('kubectl', ['create', 'namespace', NAMESPACE]);
      await kubectl('apply', '--server-side', '--filename', manifests);
      const settings = (await folderObjects('argocd')).filter(({ kind }) => kind === 'ConfigMap');
      await applyObjects(settings);
      await kubectl('wait', 'deployment', '--all', '--for=condition=Available', '--timeout=10m');
      await kubectl('rollout', 'restart', 'statefulset/argocd-application-controller');
      await kubectl('rollout', 'status', 'statefulset/argocd-application-controller', '--timeout=10m');
    },
  },
  {
    title: 'a mapping from the repository is synced and healthy',
    run: async ({ repository }) => {
      if (repository === undefined) throw new Error('no repository is given');
      const input = JSON.stringify(applicationOf(repository));
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
      await putSources(await kindContext(options));
      await untilHealthy();
    },
  },
];

const applicationOf = ({ url, revision }: NonNullable<KindOptions['repository']>) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: APPLICATION, namespace: NAMESPACE },
  spec: {
    project: 'default',
    source: { repoURL: url, targetRevision: revision, path: 'test/e2e/manifests/argocd' },
    destination: { server: 'https://kubernetes.default.svc' },
    syncPolicy: { automated: { prune: true, selfHeal: true } },
  },
});

const untilHealthy = () =>
  untilApplication((found) => {
    if (found !== 'Synced Healthy') throw new Error(`the Application is ${found}`);
  });

const untilApplication = (check: (found: string) => void) =>
  until(async () => {
    const path = '{.status.sync.status} {.status.health.status}';
    check(await kubectl('get', 'application', APPLICATION, `--output=jsonpath=${path}`));
  });
