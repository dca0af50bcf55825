/** The client of SAP Service Manager: `createServiceManager`, once for the process. */
export {
  PlanSelectionError,
  type PlanSelectionReason,
  ServiceManagerError,
  type ServiceManagerErrorClass,
} from './errors/errors.ts';
export type { Change, Deletion, Operation, OperationState, OperationType } from './objects/operation.ts';
export type { PlanSelection, SelectedPlan, ServiceOffering, ServicePlan } from './objects/plan.ts';
export type { BindingRename, NewServiceBinding, ServiceBinding } from './objects/service-binding.ts';
export type {
  KubernetesIdentity,
  Labels,
  NewServiceInstance,
  Parameters,
  RecoveryQuery,
  ServiceInstance,
  ServiceInstanceUpdate,
} from './objects/service-instance.ts';
export { type OperationPath, operationURL, parseOperationURL } from './operation-url.ts';
export {
  type ConnectOptions,
  createServiceManager,
  type KnownClient,
  type ServiceManager,
  type ServiceManagerOptions,
} from './service-manager.ts';
export type {
  CallOptions,
  ServiceManagerClient,
  UserInfo,
  WriteOptions,
} from './service-manager-client.ts';
