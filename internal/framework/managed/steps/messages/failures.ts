/**
 * The events and conditions of each step of the managed reconciler when it fails: the event, the prefix of the
 * message, the Ready condition, and how a write conflict is handled. Events and messages are those of
 * crossplane-runtime (`pkg/reconciler/managed`), in its order. The effect on the queue depends only on the kind of
 * the error.
 */
import { kindOf, messageOf } from '../../../base/errors/errors.ts';
import { step as stepBy } from '../../../controller/reconcile/handle-error.ts';
import { creating, deleting, type NewCondition } from '../../resource/conditions.ts';
import * as messages from './messages.ts';

export interface FailureRule {
  /** Reason of the Warning event; without one there is no event. */
  readonly event?: string;
  /** Put before the cause in the Synced condition. */
  readonly prefix?: string;
  /** The event's message has the prefix too. */
  readonly prefixInEvent?: boolean;
  /** The Ready condition. */
  readonly ready?: () => NewCondition;
  /** `retry`: requeue with backoff and no event, since a newer version exists. `report`: like any other failure. */
  readonly onConflict: 'retry' | 'report' | 'report-without-event';
}

export const failures = {
  unpublish: { event: messages.reasonCannotUnpublish, ready: deleting, onConflict: 'retry' },
  removeFinalizer: { ready: deleting, onConflict: 'retry' },
  endConfigUse: { ready: deleting, onConflict: 'retry' },
  acquireOwnership: {
    event: messages.reasonCannotUpdateManaged,
    prefix: 'cannot take the managed resource over',
    prefixInEvent: true,
    onConflict: 'retry',
  },
  checkOwnership: { prefix: 'cannot get managed resource', onConflict: 'retry' },
  initialize: { event: messages.reasonCannotInitialize, onConflict: 'retry' },
  resolveReferences: { event: messages.reasonCannotResolve, onConflict: 'retry' },
  connect: { event: messages.reasonCannotConnect, prefix: 'connect failed', onConflict: 'retry' },
  observe: { event: messages.reasonCannotObserve, prefix: 'observe failed', onConflict: 'retry' },
  delete: {
    event: messages.reasonCannotDelete,
    prefix: 'delete failed',
    ready: deleting,
    onConflict: 'report',
  },
  publish: { event: messages.reasonCannotPublish, onConflict: 'retry' },
  addFinalizer: { onConflict: 'retry' },
  /** Delete before Create: the managed resource is not being deleted. */
  deleteToReplace: { event: messages.reasonCannotDelete, prefix: 'delete failed', onConflict: 'report' },
  recordIntent: {
    event: messages.reasonCannotUpdateManaged,
    prefix: 'cannot update managed resource',
    prefixInEvent: true,
    ready: creating,
    onConflict: 'retry',
  },
  create: {
    event: messages.reasonCannotCreate,
    prefix: 'create failed',
    ready: creating,
    onConflict: 'report-without-event',
  },
  recordCreated: {
    event: messages.reasonCannotUpdateManaged,
    prefix: 'cannot update managed resource annotations',
    prefixInEvent: true,
    ready: creating,
    onConflict: 'retry',
  },
  publishCreated: { event: messages.reasonCannotPublish, ready: creating, onConflict: 'retry' },
  lateInitialize: {
    event: messages.reasonCannotUpdateManaged,
    prefix: 'cannot update managed resource',
    onConflict: 'report',
  },
  update: { event: messages.reasonCannotUpdate, prefix: 'update failed', onConflict: 'report' },
  recordUpdated: {
    event: messages.reasonCannotUpdateManaged,
    prefix: 'cannot update managed resource annotations',
    prefixInEvent: true,
    onConflict: 'retry',
  },
  publishUpdated: { event: messages.reasonCannotPublish, onConflict: 'report' },
} as const satisfies Readonly<Record<string, FailureRule>>;

/** The message of the Synced condition after a failed Connect or Observe, for kinds whose Ready condition repeats it. */
export function failureMessage(step: 'connect' | 'observe', error: unknown): string {
  const kind = kindOf(error);
  const message = messageOf(error);
  return kind === 'waiting' || kind === 'contested' ? message : `${failures[step].prefix}: ${message}`;
}

/** Runs a step; its error is reported by `rule`. */
export const step: <T>(rule: FailureRule, work: () => T | Promise<T>) => Promise<T> = stepBy;
