import type { Run, RunMemory, UnconnectedRun } from '../operations/run.ts';
import type { ServiceInstance } from './resource.ts';
import type { SpecHashes } from './spec/spec-hash.ts';

/** What is kept of an instance between reconciles of one process. */
export interface InstanceMemory extends RunMemory {
  /** Of the parameters that Service Manager accepted last. */
  readonly fingerprint?: string;
  /** What an update in progress replaces; see `acceptParameters`. */
  readonly replaced?: { readonly fingerprint: string | undefined; readonly version: string | undefined };
  /** Of the spec. `version`: uid and generation. */
  readonly known?: { readonly version: string; readonly hashes: SpecHashes };
  /** The finalizer is stored, and no create was sent since then: the status need not say that one may have been sent. */
  readonly isUnsent?: boolean;
  /** The result of `confirm` for the instance with this uid. */
  readonly confirmed?: { readonly uid: string; readonly secrets: string };
  /** When its deletion first waited for bindings, by the monotonic clock in ms. */
  readonly waitsSince?: number;
}

export type UnconnectedInstanceRun = UnconnectedRun<ServiceInstance, InstanceMemory>;

/** One reconcile of a ServiceInstance. */
export type InstanceRun = Run<ServiceInstance, InstanceMemory>;

/** The ID in Service Manager; empty: none is known. */
export const instanceIDOf = ({ status }: ServiceInstance): string => status?.instanceID ?? '';
