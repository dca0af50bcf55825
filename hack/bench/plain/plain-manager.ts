/**
 * A loop around the plain requests for Runtimes: it creates and changes the Shoots of what two watches report. It deletes nothing,
 * rotates no kubeconfig, and any failure ends it.
 */
import { type Shoot, shoots } from '../../../apis/gardener/kinds.ts';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { collectionPath } from '../../../internal/framework/kube/client/resource-path.ts';
import type { WatchLine } from './plain-client.ts';
import { createPlainRuntimes, type RuntimeEndpoints } from './plain-runtimes.ts';
import { startWorkers } from './plain-workers.ts';

export interface ManageOptions extends RuntimeEndpoints {
  /** Of the Runtimes. */
  readonly namespace: string;
  /** Runtimes worked on at the same time. */
  readonly workers: number;
}

export function startManager({ namespace, workers, ...endpoints }: ManageOptions): void {
  const plain = createPlainRuntimes(endpoints);
  const workFor = startWorkers(workers);
  const latest = new Map<string, Promise<void>>();
  /** One task after the other for each Runtime. */
  const work = (name: string, task: () => Promise<void>) => {
    const before = latest.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    latest.set(name, promise);
    workFor(async () => {
      await before;
      await task();
      resolve();
    });
  };
  const known = new Map<string, Runtime>();
  /** The generation that the Shoot was rendered from. */
  const applied = new Map<string, number>();
  const configured = new Set<string>();
  /** The generation of a Shoot whose operation was handled. */
  const handled = new Map<string, number>();

  const onRuntime = ({ type, object }: WatchLine<Runtime>) => {
    if (type !== 'ADDED' && type !== 'MODIFIED') return;
    const { name, generation = 1 } = object.metadata;
    known.set(name, object);
    const before = applied.get(name);
    if (before !== undefined && before >= generation) return;
    applied.set(name, generation);
    work(name, () => (before === undefined ? plain.create(object) : plain.patch(object)));
  };
  const onShoot = ({ type, object }: WatchLine<Shoot>) => {
    if (type !== 'ADDED' && type !== 'MODIFIED') return;
    const { name, generation = 1 } = object.metadata;
    const { lastOperation, observedGeneration = 0 } = object.status ?? {};
    const runtime = known.get(name);
    if (lastOperation?.state !== 'Succeeded' || observedGeneration < generation || runtime === undefined)
      return;
    if ((handled.get(name) ?? 0) >= generation) return;
    handled.set(name, generation);
    if (configured.has(name)) return work(name, () => plain.complete(runtime));
    configured.add(name);
    work(name, () => plain.configure(runtime, object));
  };
  void plain.management.watch<Runtime>(`${collectionPath(runtimes, namespace)}?watch=true`, onRuntime);
  const ofProject = collectionPath(shoots, `garden-${endpoints.project}`);
  void plain.gardener.watch<Shoot>(`${ofProject}?watch=true`, onShoot);
}

/** Compares all Runtimes with their Shoots, as after a start. Returns how many there are. */
export async function compareAll({ namespace, workers: _, ...endpoints }: ManageOptions): Promise<number> {
  const plain = createPlainRuntimes(endpoints);
  const [own, ofProject] = [
    collectionPath(runtimes, namespace),
    collectionPath(shoots, `garden-${endpoints.project}`),
  ];
  const [{ items }, { items: live }] = await Promise.all([
    plain.management.send<{ items: Runtime[] }>({ path: own }),
    plain.gardener.send<{ items: Shoot[] }>({ path: ofProject }),
  ]);
  const byName = new Map(live.map((shoot) => [shoot.metadata.name, shoot]));
  for (const runtime of items) {
    const shoot = byName.get(runtime.metadata.name);
    if (shoot === undefined || !plain.isCurrent(runtime, shoot))
      throw new Error(`the Shoot of ${runtime.metadata.name} is not current`);
  }
  return items.length;
}
