import type { Managed } from '../resource/managed.ts';

/** Values for the connection Secret by key; not encoded. */
export type ConnectionDetails = Readonly<Record<string, string | Uint8Array>>;

/** Makes connection details available to those who use the external resource. */
export interface ConnectionPublisher {
  /** Returns whether anything was written. */
  publish(resource: Managed, details: ConnectionDetails, signal: AbortSignal): Promise<boolean>;
  /** Called before the resource goes. */
  unpublish(resource: Managed, details: ConnectionDetails, signal: AbortSignal): Promise<void>;
}
