import { channel } from 'node:diagnostics_channel';

/** What loggers, recorders and metrics without an output would have shown. */
export interface ObservedOutput {
  readonly kind: 'log line' | 'event' | 'metric';
  readonly content: unknown;
}

/** The channel of `node:diagnostics_channel` on which they publish if it has subscribers, which it has in tests. */
export const observedOutput = channel('provider-kyma.output');

export function publishOutput(kind: ObservedOutput['kind'], content: () => unknown): void {
  if (observedOutput.hasSubscribers)
    observedOutput.publish({ kind, content: content() } satisfies ObservedOutput);
}
