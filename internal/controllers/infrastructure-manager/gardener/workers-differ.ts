import type { Shoot, Worker } from '../../../../apis/gardener/kinds.ts';
import { covers } from './covers.ts';

const workersOf = ({ spec }: Shoot): readonly Worker[] => spec?.provider.workers ?? [];

/**
 * Whether the worker pools differ, apart from Gardener's defaults: their number, their order, or a value of one. Server-side apply
 * neither removes nor sorts pools.
 */
export function workersDiffer(live: Shoot, wanted: Shoot): boolean {
  const [own, other] = [workersOf(live), workersOf(wanted)];
  return (
    own.length !== other.length ||
    other.some((worker, index) => own[index]?.name !== worker.name || !covers(own[index], worker))
  );
}
