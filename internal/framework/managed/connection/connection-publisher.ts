import type { Managed } from '../resource/managed.ts';

/** Values of the connection Secret by key; not encoded. */
export type ConnectionDetails = Readonly<Record<string, string | Uint8Array>>;

/** Publishes connection details for users of the external resource. */
export interface ConnectionPublisher {
  /** Returns whether anything was written. */
  publish(resource: Managed, details: ConnectionDetails, signal: AbortSignal): Promise<boolean>;
  /** Called before the finalizer is removed. */
  unpublish(resource: Managed, details: ConnectionDetails, signal: AbortSignal): Promise<void>;
}
