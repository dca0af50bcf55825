/** The client of SAP Service Manager: `createServiceManager`, once for the process. */
export {
  PlanSelectionError,
  type PlanSelectionReason,
  ServiceManagerError,
  type ServiceManagerErrorClass,
} from './errors.ts';
export type {
  BindingRename,
  Change,
  Deletion,
  KubernetesIdentity,
  Labels,
  NewServiceBinding,
  NewServiceInstance,
  Operation,
  OperationState,
  OperationType,
  Parameters,
  PlanSelection,
  RecoveryQuery,
  SelectedPlan,
  ServiceBinding,
  ServiceInstance,
  ServiceInstanceUpdate,
  ServiceOffering,
  ServicePlan,
} from './objects.ts';
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
