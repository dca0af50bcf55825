import { wrap } from '../../base/errors/errors.ts';
import { nameAsExternalName } from '../kind/managed-kind.ts';
import type { Managed } from '../resource/managed.ts';
import type { Reconciliation } from './reconciliation.ts';

/** Runs the initializers of the kind in order. */
export async function initialize<R extends Managed>({
  kind,
  copy,
  signal,
}: Reconciliation<R>): Promise<void> {
  const store = async () => {
    if (kind.deterministicExternalName) return copy.markChanged();
    try {
      await copy.put(signal);
    } catch (error) {
      throw wrap(error, 'cannot update managed resource');
    }
  };
  for (const run of kind.initializers ?? [nameAsExternalName]) await run(copy.object, store);
}
