import type { ComponentActions } from '../../model/actions.ts';

/** Deploys and removes charts, and does nothing else: for components without a reconciler of their own. */
export const base: ComponentActions = {};
