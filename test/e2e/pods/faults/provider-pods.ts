import { readFile } from 'node:fs/promises';
import { type ApiRequest, apiRequester } from '../../../../hack/control-planes/access/api-request.ts';
import { tool } from '../../../environment/tool.ts';
import { until } from '../../e2e-context.ts';

const NAMESPACE = '--namespace=crossplane-system';
/** Of the provider. */
export const LEASE = 'crossplane-leader-election-provider-kyma';

export const kubectl = (...args: string[]): Promise<string> => tool('kubectl', args);
export const inCrossplane = (...args: string[]): Promise<string> => tool('kubectl', [NAMESPACE, ...args]);

/** What the Lease of the provider names: pod and process. */
export async function leader(): Promise<{ readonly identity: string; readonly pod: string }> {
  const identity = await inCrossplane('get', 'lease', LEASE, '--output=jsonpath={.spec.holderIdentity}');
  return { identity, pod: identity.split('_')[0] ?? '' };
}

/** Requests to the cluster that kubectl speaks to: a kubectl each time would take the CPU from what is measured. */
export async function apiOfKubectl(): Promise<ApiRequest> {
  return apiRequester(await readFile(process.env.KUBECONFIG ?? '', 'utf8'));
}

/** Waits until another process leads. @returns seconds */
export async function untilAnotherLeads(before: string): Promise<number> {
  const startedAt = performance.now();
  const request = await apiOfKubectl();
  await until(async () => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/crossplane-system/leases/${LEASE}`;
    const { spec } = (await request(path)).body as { spec?: { holderIdentity?: string } };
    const identity = spec?.holderIdentity ?? '';
    if (identity === '' || identity === before) throw new Error(`the Lease is held by ${identity || 'none'}`);
  }, 100);
  return (performance.now() - startedAt) / 1000;
}

/** Waits until every pod of Crossplane, its functions and the provider is there. */
export const untilAvailable = (): Promise<string> =>
  inCrossplane('wait', 'deployment', '--all', '--for=condition=Available', '--timeout=5m');

/** Memory of a pod's container as its cgroup counts it, without what the kernel can drop, in bytes. */
export async function workingSet(pod: string): Promise<number> {
  const node = await inCrossplane('get', 'pod', pod, '--output=jsonpath={.spec.nodeName}');
  const summary: Summary = JSON.parse(
    await kubectl('get', '--raw', `/api/v1/nodes/${node}/proxy/stats/summary`),
  );
  const found = summary.pods.find(({ podRef }) => podRef.name === pod)?.containers?.[0];
  if (found === undefined) throw new Error(`the kubelet has no figures of ${pod}`);
  return found.memory.workingSetBytes;
}

interface Summary {
  readonly pods: readonly {
    readonly podRef: { readonly name: string };
    readonly containers?: readonly { readonly memory: { readonly workingSetBytes: number } }[];
  }[];
}
