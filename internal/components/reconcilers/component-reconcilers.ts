import type { ComponentReconcilers } from '../model/actions.ts';

/** Every component reconciler of this program, by the name that `component start` takes. */
export const componentReconcilers: ComponentReconcilers = {
  /** Deploys and removes charts, and does nothing else. */
  base: {},
};
