import type { components } from '../../../../../apis/reconciler/component.openapi.gen.ts';

/** What a component reconciler gets. */
export type Task = components['schemas']['Task'];

/** Reconciles a component in this process. Rejects when it failed. */
export type ComponentAction = (task: Task, signal: AbortSignal) => Promise<void>;
