import type { ConnectionDetails } from '../managed/kind/external-client.ts';
import type { Managed } from '../resource/managed.ts';

/** Makes connection details available to those who use the external resource. */
export interface ConnectionPublisher {
  /** Returns whether anything was written. */
  publish(resource: Managed, details: ConnectionDetails, signal: AbortSignal): Promise<boolean>;
  /** Called before the resource goes. */
  unpublish(resource: Managed, details: ConnectionDetails, signal: AbortSignal): Promise<void>;
}
