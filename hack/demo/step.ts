import type { Context } from './context.ts';

/** One step of the demo. It throws if the step fails. */
export interface Step {
  readonly title: string;
  readonly run: (context: Context) => Promise<void>;
}
