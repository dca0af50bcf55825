import type { KubeObject } from '../../../internal/kube/object.ts';
import { leases } from '../../../internal/kube/resource-type.ts';
import { uniqueName } from '../harness/control-planes.ts';
import { installedProviderAccount } from '../harness/provider-account.ts';
import type { ProviderProcess } from '../harness/provider-process.ts';
import type { FaultyWorld } from './faulty-world.ts';

/** A provider that works only while it holds the Lease. */
export interface Replica extends ProviderProcess {
  /** Of its own, by which the API server tells the replicas apart. */
  readonly user: string;
  /** As the Lease names it. */
  readonly identity: unknown;
  /** Takes every right of that user away at once, as Crossplane does with an old revision's. */
  revoke(): Promise<void>;
}

export interface Lease extends KubeObject {
  readonly spec: {
    readonly holderIdentity: string;
    readonly acquireTime: string;
    readonly renewTime: string;
    readonly leaseDurationSeconds: number;
  };
}

/** Replicas that share a Lease of their own. */
export function leaseSharing({ run, planes, management }: FaultyWorld) {
  const namespace = 'default';
  const provider = uniqueName('provider');
  return {
    start: async (args: readonly string[] = []): Promise<Replica> => {
      const { user, kubeconfig, revoke } = await installedProviderAccount(planes.management);
      const running = await run({
        kubeconfig,
        args: ['--leader-election', `--leader-election-namespace=${namespace}`, ...args],
        env: { PROVIDER_NAME: provider },
      });
      const { identity } = await running.untilLogged('waiting for leadership');
      return { ...running, user, identity, revoke };
    },
    lease: async (): Promise<Lease> => {
      const all = await management.list<Lease>(leases, namespace);
      const prefix = `crossplane-leader-election-${provider}`;
      const found = all.find(({ metadata: { name } }) => name.startsWith(prefix));
      if (found === undefined) throw new Error('there is no Lease yet');
      return found;
    },
  };
}
