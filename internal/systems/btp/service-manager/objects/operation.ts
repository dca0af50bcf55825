import type { components } from '../openapi.gen.ts';

/** `pending`, `in progress`, `succeeded` or `failed`. */
export type OperationState = components['schemas']['Operation']['state'];

/** `create`, `update` or `delete`; another value counts as absent. */
export type OperationType = 'create' | 'update' | 'delete';

/** The state of an asynchronous change of an instance or binding. Texts are bounded and contain no known secret. */
export interface Operation {
  readonly id?: string;
  readonly state: OperationState;
  /** Absent if Service Manager omits it. */
  readonly type?: OperationType;
  readonly description?: string;
  /** The member `description` of `errors`: the text for users if the operation of an instance failed. */
  readonly errorDescription?: string;
  /** `errors` as compact JSON. */
  readonly errors?: string;
}

/** A change that was accepted or done. */
export type Change<T> =
  | { readonly state: 'done'; readonly resource: T }
  /** 202. `operationURL` is the path of the operation, for `getOperation`. */
  | { readonly state: 'in-progress'; readonly id: string; readonly operationURL: string };

export type Deletion =
  /** 200. */
  | { readonly state: 'gone' }
  /**
   * 404 or 410 of Service Manager: it has no such resource, or none that these credentials may see. Who deletes it must know that they
   * are those that made it.
   */
  | { readonly state: 'absent' }
  /** 202. */
  | { readonly state: 'in-progress'; readonly id: string; readonly operationURL: string };
