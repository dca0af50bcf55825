import { tool } from '../../../environment/tool.ts';
import { until } from '../../e2e-context.ts';

const NAMESPACE = '--namespace=crossplane-system';
const LEASE = 'lease/crossplane-leader-election-provider-kyma';

export const kubectl = (...args: string[]): Promise<string> => tool('kubectl', args);
export const inCrossplane = (...args: string[]): Promise<string> => tool('kubectl', [NAMESPACE, ...args]);

/** What the Lease of the provider names: pod and process. */
export async function leader(): Promise<{ readonly identity: string; readonly pod: string }> {
  const identity = await inCrossplane('get', LEASE, '--output=jsonpath={.spec.holderIdentity}');
  return { identity, pod: identity.split('_')[0] ?? '' };
}

/** Waits until another process leads. @returns seconds */
export async function untilAnotherLeads(before: string): Promise<number> {
  const startedAt = performance.now();
  await until(async () => {
    const { identity } = await leader();
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
