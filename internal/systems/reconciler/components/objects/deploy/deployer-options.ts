import type { Deps } from '../../../../../framework/base/index.ts';

import type { Interceptor } from '../interceptors/interceptor.ts';

export interface DeployerOptions extends Pick<Deps, 'clock' | 'log'> {
  /** The longest time between two checks of readiness, in ms: --progress-interval; default 15 seconds. */
  readonly progressIntervalMs?: number;
  /** For readiness, and for deletions, in ms; default 10 minutes. */
  readonly progressTimeoutMs?: number;
  /** Discoveries before a kind counts as unknown; default 5, within 15 seconds. */
  readonly discoveryTries?: number;
  /** What changes objects before they are applied; default: those of all components. */
  readonly interceptors?: readonly Interceptor[];
}

/** With all defaults. */
export interface DeploySettings extends Pick<Deps, 'clock' | 'log'> {
  readonly progressIntervalMs: number;
  readonly progressTimeoutMs: number;
  readonly discoveryTries: number;
  readonly interceptors: readonly Interceptor[];
}
