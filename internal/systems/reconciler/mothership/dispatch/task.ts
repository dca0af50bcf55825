import { ARTIFICIAL_NAMESPACE } from '../../operations/plan-operations.ts';
import type { Component } from '../model/cluster.ts';
import { tenantOf } from '../model/registrant.ts';
import type { Task } from '../model/task.ts';
import type { OperationTokens } from '../reconciliations/operation-tokens.ts';
import { type SecretValue, secretValuesOf } from '../reconciliations/secret-values.ts';
import type { ClaimedOperation } from './claim-operations.ts';
import type { OpenedVersions } from './opened-versions.ts';

interface TaskOptions {
  readonly opened: OpenedVersions;
  readonly tokens: OperationTokens;
  readonly kubeconfig: string;
  /** `scheme://host:port` of callbacks. */
  readonly callbackBaseUrl: string;
  readonly maxOperationRetries: number;
}

export interface PreparedTask {
  readonly task: Task;
  /** Values of it that the registration marks as secret. */
  readonly secrets: readonly SecretValue[];
}

/** The task of a claimed operation; undefined if the cluster does not have the component. */
export function taskOf(operation: ClaimedOperation, options: TaskOptions): PreparedTask | undefined {
  const component = componentOf(operation, options.opened);
  if (component === undefined) return undefined;
  const task: Task = {
    componentsReady: [...operation.components_ready],
    component: component.component,
    namespace: component.namespace,
    version: versionOf(component, operation.kyma_version),
    url: component.URL,
    profile: operation.kyma_profile ?? '',
    configuration: Object.fromEntries(component.configuration.map(({ key, value }) => [key, value])),
    kubeconfig: options.kubeconfig,
    metadata: operation.metadata,
    tenant: tenantOf(operation.runtime_name ?? '', operation.metadata, operation.runtime_id),
    callbackURL: callbackUrl(operation, options),
    correlationID: operation.correlation_id,
    repository: { url: component.URL },
    type: operation.type,
    componentConfiguration: {
      maxRetries: Math.max(0, options.maxOperationRetries - operation.retries),
      debug: operation.debug,
    },
  };
  return { task, secrets: secretValuesOf(component) };
}

/** Artificial components have their configuration in the operation. */
function componentOf(operation: ClaimedOperation, opened: OpenedVersions): Component | undefined {
  if (operation.parameters === null) {
    return opened.componentsOf(operation).find(({ component }) => component === operation.component);
  }
  const configuration = Object.entries(operation.parameters).map(([key, value]) => ({
    key,
    value,
    secret: false,
  }));
  return {
    component: operation.component,
    namespace: ARTIFICIAL_NAMESPACE,
    configuration,
    URL: '',
    version: '',
  };
}

/** A Git repository has versions of its own, and no version is its default branch. */
function versionOf({ URL, version }: Component, kymaVersion: string): string {
  return URL.endsWith('.git') ? version : version || kymaVersion;
}

function callbackUrl(operation: ClaimedOperation, { callbackBaseUrl, tokens }: TaskOptions): string {
  const {
    scheduling_id: schedulingId,
    correlation_id: correlationId,
    fencing_token: fencingToken,
  } = operation;
  const path = `/v1/operations/${encodeURIComponent(schedulingId)}/callback/${encodeURIComponent(correlationId)}`;
  return `${callbackBaseUrl}${path}?token=${tokens.issue({ schedulingId, correlationId, fencingToken })}`;
}
