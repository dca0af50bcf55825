import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { highPriorityRequest, type ReconcileResult } from '../../controller/reconcile-result.ts';
import { type CustomResourceDefinition, crdAdmission } from '../../kube/fakes/crd-admission.ts';
import { createFakeRecorder, type FakeRecorder } from '../../kube/fakes/fake-recorder.ts';
import { createMemoryClient, type MemoryClient } from '../../kube/fakes/memory-client.ts';
import type { AdmissionRequest, AnyObject } from '../../kube/fakes/memory-store.ts';
import { keyOf, keyString } from '../../kube/object/object.ts';
import type { ManagedKind } from '../kind/managed-kind.ts';
import { createManagedReconciler, type ManagedReconcilerOptions } from '../managed-controller.ts';
import type { Managed } from '../resource/managed.ts';

export interface KindHarnessOptions<R extends Managed> {
  readonly kind: ManagedKind<R>;
  /** As a user would apply it; fields of the API server are added. */
  readonly resource: R;
  /** Default: a fake clock. */
  readonly clock?: FakeClock;
  /** Default: an empty API server, which has `crds`. */
  readonly client?: MemoryClient;
  /** With whose schemas the resource gets its defaults, and is refused with a RangeError if it is invalid. Default: none. */
  readonly crds?: readonly CustomResourceDefinition[];
  readonly options?: Partial<ManagedReconcilerOptions<R>>;
}

export interface KindHarness<R extends Managed> {
  readonly client: MemoryClient;
  readonly clock: FakeClock;
  readonly recorder: FakeRecorder;
  /** Runs one reconcile. The clock advances by 100 ms meanwhile, which covers short retries. */
  reconcile(signal?: AbortSignal): Promise<ReconcileResult>;
  /** The stored resource; undefined if it is deleted. */
  stored(): R | undefined;
  /** Changes the resource as a user does; see `KubeClient.mergePatch`. */
  patch(patch: unknown): Promise<void>;
  /** Deletes it as a user: it stays until a reconcile removes the finalizer. */
  delete(): Promise<void>;
}

const same = (object: AnyObject): AnyObject => object;
const unchanged = ({ next }: AdmissionRequest): AnyObject => next;

/** One resource of a kind on an API server in memory, with its reconciler. */
export function createKindHarness<R extends Managed>(given: KindHarnessOptions<R>): KindHarness<R> {
  const { kind, clock = createFakeClock(), crds = [] } = given;
  const admission = crdAdmission(crds);
  const client = given.client ?? createMemoryClient({ clock, admission });
  const recorder = createFakeRecorder();
  const { defaulted = same, admit = unchanged } = admission(kind.type) ?? {};
  const resource = { ...given.resource } as AnyObject;
  const next = admit({
    ...{ operation: 'create', part: 'object', isPatch: false, next: defaulted(resource) },
    refuse: (_status, _reason, message) => {
      throw new RangeError(`the CRD refuses the resource: ${message}`);
    },
  });
  const key = keyOf(client.seed(kind.type, next as unknown as R));
  const stored = () => client.peek(kind.type, key);
  const reconcile = createManagedReconciler<R>({
    kind,
    client,
    read: stored,
    recorder,
    clock,
    random: () => 0.5,
    log: nopLogger,
    ...given.options,
  });
  return {
    client,
    clock,
    recorder,
    stored,
    reconcile: async (signal = new AbortController().signal) => {
      let ended = false;
      const outcome = reconcile(keyString(key), signal, highPriorityRequest).finally(() => {
        ended = true;
      });
      outcome.catch(() => undefined);
      for (let ms = 0; ms < 100 && !ended; ms += 10) await clock.advance(10);
      return outcome;
    },
    patch: async (patch) => {
      await client.mergePatch(kind.type, key, patch);
    },
    delete: () => client.delete(kind.type, key),
  };
}
