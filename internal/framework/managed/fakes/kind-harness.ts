import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { highPriorityRequest, type ReconcileResult } from '../../controller/reconcile-result.ts';
import { createFakeRecorder, type FakeRecorder } from '../../kube/fakes/fake-recorder.ts';
import { createMemoryClient, type MemoryClient } from '../../kube/fakes/memory-client.ts';
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
  /** Default: an empty API server. */
  readonly client?: MemoryClient;
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

/** One resource of a kind on an API server in memory, with its reconciler. */
export function createKindHarness<R extends Managed>(given: KindHarnessOptions<R>): KindHarness<R> {
  const { kind, clock = createFakeClock(), client = createMemoryClient({ clock }) } = given;
  const recorder = createFakeRecorder();
  const key = keyOf(client.seed(kind.type, given.resource));
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
