import type { Deps } from '../../../../framework/base/index.ts';

import type { Observer } from '../model/observer.ts';
import type { Settings } from '../model/settings.ts';

/** What all changes of reconciliations need. */
export interface ChangeContext extends Pick<Deps, 'random' | 'log'> {
  readonly settings: Pick<
    Settings,
    | 'maxParallel'
    | 'maxParallelByComponent'
    | 'maxReconcileErrors'
    | 'maxDeleteErrors'
    | 'maxOperationRetries'
    | 'orphanTimeoutMs'
    | 'reconcileIntervalMs'
    | 'rollouts'
  >;
  readonly observers: readonly Observer[];
}
