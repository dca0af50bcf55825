/** What all steps of one reconcile of a ServiceInstance share. */

import { FencedError } from '../../../base/concurrency/fence.ts';
import { NotAdmittedError, type Reserve } from '../../../base/concurrency/limit-key.ts';
import { findCause, kindOf, messageOf, ThrottledError } from '../../../base/errors/errors.ts';
import { createScrubber } from '../../../base/text/redact.ts';
import {
  type OperationType,
  type ServiceManagerClient,
  ServiceManagerError,
  type WriteOptions,
} from '../../../clients/service-manager/index.ts';
import { LostResponseError } from '../../../http/index.ts';
import type { ObjectWatcher } from '../../../kube/index.ts';
import {
  type ReconcileResult,
  type ReconcilerContext,
  requeueInProgress,
  type WorkingCopy,
} from '../../../runtime/index.ts';
import { readParameters } from './parameters/read-parameters.ts';
import type { ServiceInstance } from './resource.ts';
import { type ConditionWriter, conditionsOf, writeConditions } from './status/conditions.ts';
import type { KnownOperation } from './status/reasons.ts';
import { createStatusStore, type StatusStore } from './status/status-store.ts';

export interface InstanceSettings {
  /** Identifies this cluster in Service Manager. */
  readonly clusterID: string;
  /** Between polls of an operation, in ms. */
  readonly pollIntervalMs: number;
}

export interface InstanceReconcilerOptions {
  readonly settings: InstanceSettings;
  /** Connects with the credentials of the instance. */
  readonly connect: (instance: ServiceInstance, options: ConnectOptions) => Promise<ServiceManagerClient>;
  /** Of the cluster of the instances. */
  readonly objectWatcher: Pick<ObjectWatcher, 'target'>;
}

export interface ConnectOptions {
  readonly signal: AbortSignal;
  readonly reserve: Reserve;
}

/** What is kept of an instance between reconciles of one process. */
export interface InstanceMemory {
  /** Of the parameters that Service Manager accepted last. */
  readonly fingerprint: string;
}

export type InstanceStatus = NonNullable<ServiceInstance['status']>;

export interface Run extends InstanceReconcilerOptions {
  readonly copy: WorkingCopy<ServiceInstance>;
  /** Changed in place. */
  readonly instance: ServiceInstance;
  readonly context: ReconcilerContext<InstanceMemory>;
  readonly client: ServiceManagerClient;
  readonly conditions: ConditionWriter;
  readonly status: StatusStore;
}

export function beginRun(
  copy: WorkingCopy<ServiceInstance>,
  context: ReconcilerContext<InstanceMemory>,
  options: InstanceReconcilerOptions,
): Omit<Run, 'client'> {
  const instance = copy.object;
  const conditions = writeConditions(instance, context.clock.now());
  return { ...options, copy, instance, context, conditions, status: createStatusStore(copy, context) };
}

/** Changes fields of the status in memory; undefined removes one. */
export function setStatus(
  instance: ServiceInstance,
  fields: { readonly [K in keyof InstanceStatus]?: InstanceStatus[K] | undefined },
): void {
  instance.status = Object.assign({ conditions: conditionsOf(instance), ...instance.status }, fields);
}

/** For calls that write to Service Manager, after `guard.beforeWrite`. */
export function writeOptions({ instance, context: { guard, signal } }: Run): WriteOptions {
  return { fence: guard.assertMayWrite, signal, userInfo: instance.spec.userInfo };
}

/** The ID in Service Manager; empty: none is known. */
export const instanceIDOf = ({ status }: ServiceInstance): string => status?.instanceID ?? '';

/** The type of the operation in progress; undefined for a text that is none. */
export function operationTypeOf({ status }: ServiceInstance): OperationType | undefined {
  const type = status?.operationType;
  return type === 'create' || type === 'update' || type === 'delete' ? type : undefined;
}

export const noOperation = { operationURL: undefined, operationType: undefined };

/** Whether another operation of the instance is in progress, for which Service Manager refused the call. */
export const isConcurrent = (error: unknown): boolean =>
  findCause(error, ServiceManagerError)?.class === 'concurrent-operation';

/**
 * Runs a step. If it fails, the condition Succeeded has the cause, and the error is thrown for a retry with backoff. If
 * Service Manager throttles, the operation counts as in progress, and is tried again when it allows.
 */
export async function reporting(
  run: Omit<Run, 'client'>,
  operation: KnownOperation,
  step: () => Promise<ReconcileResult>,
): Promise<ReconcileResult> {
  try {
    return await step();
  } catch (error) {
    if (isNoFailure(error) || run.context.signal.aborted) throw error;
    if (operation === 'create' && !(error instanceof LostResponseError)) {
      // The create has certainly had no effect.
      if ((run.instance.status?.operationURL ?? '') === '') setStatus(run.instance, noOperation);
    }
    if (error instanceof ThrottledError) {
      run.conditions.inProgress(operation);
      await run.status.store();
      return requeueInProgress(error.retryAfterMs);
    }
    run.conditions.requestFailed(operation, await scrubbed(run, textOf(error)));
    await run.status.store();
    throw error;
  }
}

/** Nothing failed, though the step did not end: another process may write, slots are missing, or the object changed. */
export const isNoFailure = (error: unknown): boolean =>
  error instanceof FencedError || error instanceof NotAdmittedError || kindOf(error) === 'conflict';

/** Service Manager's text for users, where it has one. */
export function textOf(error: unknown): string {
  const text = error instanceof ServiceManagerError ? error.text : '';
  return text === '' ? messageOf(error) : text;
}

/** The text without values from the Secrets of the instance: a service broker may quote parameters. */
export async function scrubbed(run: Omit<Run, 'client'>, text: string): Promise<string> {
  const { instance, context } = run;
  if ((instance.spec.parametersFrom ?? []).length === 0) return createScrubber([])(text);
  try {
    const { confidential } = await readParameters(instance, { ...run, ...context });
    return createScrubber(confidential)(text);
  } catch {
    // Without the Secrets, no create or update was sent in this reconcile.
    return createScrubber([])(text);
  }
}
