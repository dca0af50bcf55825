import type { Deps } from '../../../../framework/base/index.ts';

import type { Charts } from './charts.ts';
import type { Deployer } from './deployer.ts';
import type { ManagedCluster } from './managed-cluster.ts';
import type { Task } from './task.ts';

/** What an action of a component reconciler works with. */
export interface ActionContext extends Pick<Deps, 'clock' | 'random' | 'log'> {
  readonly task: Task;
  readonly cluster: ManagedCluster;
  readonly charts: Charts;
  readonly deployer: Deployer;
  /** Ends with the attempt: timeout, cancellation, or the stop of the program. */
  readonly signal: AbortSignal;
  /** Values of the chart by dotted key; an action may change them for the rendering of later ones. Starts with those of the task. */
  readonly configuration: Record<string, unknown>;
  /** Shown with the operation (at most 1,000 characters); replaced by the next. */
  progress(message: string): void;
}

/** Throws if it fails; the attempt is then repeated as a whole. */
export type Action = (context: ActionContext) => Promise<void>;

/** The actions of a component reconciler. A missing main action is the default one: deploy or remove the chart. */
export interface ComponentActions {
  readonly preReconcile?: Action;
  readonly reconcile?: Action;
  readonly postReconcile?: Action;
  readonly preDelete?: Action;
  readonly delete?: Action;
  readonly postDelete?: Action;
}

/** Component reconcilers by name; `base` serves components without one of their own. */
export type ComponentReconcilers = Readonly<Record<string, ComponentActions>> & {
  readonly base: ComponentActions;
};
