import type { Worker } from '../../../../../apis/gardener/kinds.ts';
import { newerVersion } from '../model/version.ts';

/**
 * The rendered pools as they can replace those of the Shoot: in its order, new ones last; with its zones first, of which Gardener
 * lets none go; with its image and its version of Kubernetes if they are newer.
 */
export function patchWorkers(rendered: readonly Worker[], live: readonly Worker[]): Worker[] {
  const positions = new Map(live.map(({ name }, position) => [name, position]));
  const position = ({ name }: Worker) => positions.get(name) ?? live.length;
  return rendered
    .toSorted((a, b) => position(a) - position(b))
    .map((worker) => patchWorker(worker, live[position(worker)]));
}

function patchWorker(worker: Worker, live: Worker | undefined): Worker {
  if (live === undefined) return worker;
  const updateStrategy = worker.updateStrategy ?? live.updateStrategy;
  const zones = joinZones(live.zones, worker.zones);
  const version = worker.kubernetes?.version;
  return {
    ...worker,
    ...(version === undefined
      ? {}
      : { kubernetes: { ...worker.kubernetes, version: newerVersion(version, live.kubernetes?.version) } }),
    machine: patchMachine(worker.machine, live.machine),
    ...(updateStrategy === undefined ? {} : { updateStrategy }),
    ...(zones === undefined ? {} : { zones }),
  };
}

function joinZones(live: readonly string[] | undefined, wanted: readonly string[] | undefined) {
  return live === undefined && wanted === undefined
    ? undefined
    : [...new Set([...(live ?? []), ...(wanted ?? [])])];
}

function patchMachine(machine: Worker['machine'], live: Worker['machine']): Worker['machine'] {
  const { image } = machine;
  if (image?.version === undefined || image.name !== live.image?.name) return machine;
  return { ...machine, image: { ...image, version: newerVersion(image.version, live.image.version) } };
}
