import type { Lease } from '../../../internal/framework/kube/object/object.ts';
import { leases } from '../../../internal/framework/kube/object/resource-type.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { installedProviderAccount } from '../harness/provider/provider-account.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import type { FaultEnvironment, RunOptions } from './fault-environment.ts';

/** A provider that works only while it holds the Lease. */
export interface Replica extends ProviderProcess {
  /** A user of its own, by which the API server distinguishes the replicas. */
  readonly user: string;
  /** As the Lease names it. */
  readonly identity: unknown;
  /** Revokes all permissions of that user, as Crossplane does with an old revision's. */
  revoke(): Promise<void>;
}

/** A Lease as leader election writes it. */
export interface HeldLease extends Lease {
  readonly spec: {
    readonly holderIdentity: string;
    readonly acquireTime: string;
    readonly renewTime: string;
    readonly leaseDurationSeconds: number;
  };
}

function heldLease(lease: Lease): HeldLease {
  const {
    holderIdentity = '',
    acquireTime = '',
    renewTime = '',
    leaseDurationSeconds = 0,
  } = lease.spec ?? {};
  return { ...lease, spec: { holderIdentity, acquireTime, renewTime, leaseDurationSeconds } };
}

/** Replicas that share a Lease of their own. */
export function leaseSharing({ run, planes, management }: FaultEnvironment) {
  const namespace = 'default';
  const provider = uniqueName('provider');
  return {
    /** @param options.kubeconfig default: of an account of its own */
    start: async (
      args: readonly string[] = [],
      { env = {}, ...options }: Omit<RunOptions, 'args'> = {},
    ): Promise<Replica> => {
      const { user, kubeconfig, revoke } = await installedProviderAccount(planes.management);
      const running = await run({
        kubeconfig,
        ...options,
        args: ['--leader-election', `--leader-election-namespace=${namespace}`, ...args],
        env: { PROVIDER_NAME: provider, ...env },
      });
      const { identity } = await running.untilLogged('waiting for leadership');
      return { ...running, user, identity, revoke };
    },
    lease: async (): Promise<HeldLease> => {
      const all = await management.list(leases, namespace);
      const prefix = `crossplane-leader-election-${provider}`;
      const found = all.find(({ metadata: { name } }) => name.startsWith(prefix));
      if (found === undefined) throw new Error('there is no Lease yet');
      return heldLease(found);
    },
  };
}
