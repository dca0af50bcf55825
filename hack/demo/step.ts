import type { Context } from './context.ts';

/** One thing that is shown and proved. It throws what stands against it. */
export interface Step {
  readonly title: string;
  readonly run: (context: Context) => Promise<void>;
}
