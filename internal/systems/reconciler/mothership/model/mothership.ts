import type { Deps } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';

import type { ClientCertificateSource } from '../../../../framework/process/server/client-certificate.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { Inventory } from './inventory.ts';
import type { KubeconfigSource } from './kubeconfig-source.ts';
import type { Observer } from './observer.ts';
import type { Occupancy } from './occupancy.ts';
import type { Overview } from './overview.ts';
import type { Reconciliations } from './reconciliations.ts';
import type { Rollouts } from './rollouts.ts';
import type { Settings } from './settings.ts';
import type { ComponentAction } from './task.ts';

export interface MothershipOptions extends Deps {
  /** With the current schema; closed by its owner, after the runnables have stopped. */
  readonly database: Database;
  readonly keyring: Keyring;
  readonly settings: Settings;
  /** How component reconcilers are called. Default: without credentials. */
  readonly componentAccess?: ComponentAccess;
  /** Component reconcilers of this process, called instead of those of the settings; `base` serves those not named. */
  readonly actions?: Readonly<Record<string, ComponentAction>>;
  /** Default: none has. */
  readonly kubeconfigs?: KubeconfigSource;
  readonly observers?: readonly Observer[];
  /** Whether clients have sent requests just now: operations are begun slowly then. Default: never. */
  readonly hasRequests?: () => boolean;
}

export interface ComponentAccess {
  /** PEM certificates to trust, besides Node's own. */
  readonly trustedCertificates: readonly string[];
  /** What they know this process by. */
  readonly identity: ClientCertificateSource | undefined;
  /** The current bearer token; undefined: none. */
  readonly token: () => Promise<string | undefined>;
}

/** All parts of a mothership but its servers. `createMothership` makes it. */
export interface Mothership {
  readonly inventory: Inventory;
  readonly reconciliations: Reconciliations;
  readonly occupancy: Occupancy;
  readonly rollouts: Rollouts;
  readonly overview: Overview;
  /** Scheduler, worker pool, bookkeeper and cleaner; any number of processes may run them. */
  readonly runnables: readonly Runnable[];
}
