import { ARTIFICIAL_NAMESPACE, type PlannedOperation } from '../../operations/plan-operations.ts';
import type { Task } from '../model/task.ts';
import type { ClusterRequest } from './cluster-request.ts';

const NAMESPACE = 'kyma-system';

const noMetadata: Task['metadata'] = {
  globalAccountID: '',
  subAccountID: '',
  serviceID: '',
  servicePlanID: '',
  servicePlanName: '',
  shootName: '',
  instanceID: '',
  region: '',
};

/** The task of a component. Artificial components have their configuration in the operation. */
export function taskOf(
  { component, parameters }: PlannedOperation,
  request: ClusterRequest,
  { maxRetries, correlationID }: { readonly maxRetries: number; readonly correlationID: string },
): Task {
  const { namespace, url, version, configuration } = parameters
    ? { namespace: ARTIFICIAL_NAMESPACE, url: '', version: '', configuration: parameters }
    : componentOf(component, request);
  return {
    componentsReady: [],
    component,
    namespace,
    // A Git repository has versions of its own, and no version is its default branch.
    version: url.endsWith('.git') ? version : version || (request.version ?? ''),
    url,
    profile: request.profile ?? '',
    configuration,
    kubeconfig: request.kubeconfig,
    metadata: { ...noMetadata, ...request.metadata },
    callbackURL: '',
    correlationID,
    repository: { url },
    type: request.type ?? 'reconcile',
    componentConfiguration: { maxRetries, debug: false },
  };
}

function componentOf(name: string, { components }: ClusterRequest) {
  const found = components.find(({ component }) => component === name);
  return {
    namespace: found?.namespace || NAMESPACE,
    url: found?.url ?? '',
    version: found?.version ?? '',
    configuration: { ...found?.configuration },
  };
}
