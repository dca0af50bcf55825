import { isDeepStrictEqual } from 'node:util';
import { tool } from '../../../../environment/tool.ts';
import { until } from '../../../e2e-context.ts';
import { hold } from '../../../hold.ts';

/** Of docs/mothership/install.md. */
export const NAMESPACE = 'kyma-reconciler';
const COMPONENT = 'app.kubernetes.io/component';
const RELEASE = 'app.kubernetes.io/instance=reconciler';

const kubectl = (...args: string[]) => tool('kubectl', args);

interface Pod {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly status: {
    readonly containerStatuses?: readonly { readonly ready: boolean; readonly restartCount: number }[];
  };
}

async function pods(): Promise<readonly Pod[]> {
  const text = await kubectl('get', 'pods', `-n=${NAMESPACE}`, `-l=${RELEASE}`, '-o=json');
  return (JSON.parse(text) as { readonly items: readonly Pod[] }).items;
}

const podsOf = async (component: string) =>
  (await pods()).filter(({ metadata }) => metadata.labels[COMPONENT] === component);

export const podNames = async (component: string): Promise<readonly string[]> =>
  (await podsOf(component)).map(({ metadata }) => metadata.name).sort();

export const restartsOf = async (component: string): Promise<number> =>
  (await podsOf(component))
    .flatMap(({ status }) => status.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);

/** Waits until these pods are Ready, and no others are there. They run without root, and cannot write to their file system. */
export async function holdPods(components: readonly string[]): Promise<void> {
  await until(async () => {
    const ready = (await pods()).filter(({ status }) =>
      status.containerStatuses?.every((each) => each.ready),
    );
    const found = ready.map(({ metadata }) => metadata.labels[COMPONENT]).sort();
    hold(isDeepStrictEqual(found, [...components].sort()), `the pods ${found} are Ready`);
  });
  const script =
    "try { require('node:fs').writeFileSync('/written', '') } catch ({ code }) { console.log(process.getuid(), code) }";
  for (const { metadata } of await pods()) {
    const node = ['/nodejs/bin/node', '--eval', script];
    const [user = '', code] = (await kubectl('exec', metadata.name, `-n=${NAMESPACE}`, '--', ...node))
      .trim()
      .split(' ');
    hold(Number(user) > 0 && code === 'EROFS', `${metadata.name} runs as ${user}, and its write: ${code}`);
  }
}

/** The signal by which component reconcilers are scaled. */
export async function busyWorkers(): Promise<number> {
  let sum = 0;
  for (const name of await podNames('base')) {
    const page = await kubectl(
      'get',
      '--raw',
      `/api/v1/namespaces/${NAMESPACE}/pods/${name}:8080/proxy/metrics`,
    );
    const [, value] = /^reconciler_workers_busy (\d+)$/m.exec(page) ?? [];
    hold(value !== undefined, 'there is no reconciler_workers_busy');
    sum += Number(value);
  }
  return sum;
}

/** Names of what the chart has installed and is there, besides what its page says that stays. */
export async function objectsOfRelease(): Promise<string> {
  const kinds = await kubectl('api-resources', '--verbs=list,delete', '--namespaced', '--output=name');
  const own = kinds
    .split('\n')
    .filter((kind) => /^(?!events)[a-z]/.test(kind))
    .join();
  const inNamespace = await kubectl('get', own, `-n=${NAMESPACE}`, '--output=name', '--ignore-not-found');
  const elsewhere = await kubectl(
    'get',
    'roles,rolebindings,clusterroles,clusterrolebindings',
    '--all-namespaces',
    '--output=name',
  );
  return [
    ...inNamespace.split('\n').filter((name) => name !== '' && !STAYS.includes(name)),
    ...elsewhere
      .split('\n')
      .filter((name) => /reconciler-mothership|provider-kyma-clusters|reconciler-kyma-clusters/.test(name)),
  ].join(' ');
}

/** Made by the user or by the cluster, or named by the page. */
const STAYS = [
  'lease.coordination.k8s.io/crossplane-leader-election-reconciler-kyma-clusters',
  'configmap/kube-root-ca.crt',
  'configmap/trust',
  'configmap/kyma-version',
  'secret/reconciler-encryption-key',
  'secret/reconciler-postgres',
  'secret/mothership-client',
  'serviceaccount/default',
];
