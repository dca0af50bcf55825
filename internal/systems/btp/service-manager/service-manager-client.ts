import type { Fence } from '../../../framework/base/index.ts';

import type { CalledHosts, TokenCheck } from '../../../framework/http/index.ts';
import type {
  BindingRename,
  Change,
  Deletion,
  NewServiceBinding,
  NewServiceInstance,
  Operation,
  PlanSelection,
  RecoveryQuery,
  SelectedPlan,
  ServiceBinding,
  ServiceInstance,
  ServiceInstanceUpdate,
} from './objects.ts';

/** The user who created or changed the resource, for the header X-Originating-Identity. */
export interface UserInfo {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface CallOptions {
  /** Aborts the call with its retries and waits. The call throws its reason. */
  readonly signal: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** Called directly before each attempt is sent; may throw. */
  readonly fence: Fence;
  readonly userInfo?: UserInfo | undefined;
}

/**
 * The client of Service Manager for one set of credentials. Every call is limited in time and size and throws
 *
 * - ServiceManagerError: a response other than success, with its class and the text for users
 * - ThrottledError: 429, or the calls of these credentials pause after one, or the circuit of the host is open; with the
 *   delay before the next attempt
 * - LostResponseError: a create was sent and its effect is unknown; `findInstances` or `findBindings` shows it
 * - kind `auth`: credentials refused by the token endpoint, or EndpointRefusedError
 * - kind `transient`: no response, or a response that does not match the contract
 *
 * Reads are retried a few times if there was no response, writes only if they were certainly not sent. Error responses are
 * not retried.
 */
export interface ServiceManagerClient {
  /** A keyed hash, equal for equal credentials within this process. */
  readonly credentialsID: string;
  /** As `viewerOf`: the client at this API, whatever its secret. */
  readonly viewer: string;
  /** The hosts of its calls. */
  readonly hosts: CalledHosts;

  /**
   * Takes the slots that calls need. Each call does; called before, nothing that precedes a call is done in vain.
   *
   * @throws NotAdmittedError
   */
  admit(options: CallOptions): Promise<void>;
  /**
   * The plan of an instance with its offering. From memory if it was found recently.
   *
   * @throws PlanSelectionError
   */
  selectPlan(selection: PlanSelection, options: CallOptions): Promise<SelectedPlan>;
  /** A plan by its ID; undefined if there is none. From memory if it was found recently. */
  planByID(planID: string, options: CallOptions): Promise<SelectedPlan | undefined>;

  createInstance(instance: NewServiceInstance, options: WriteOptions): Promise<Change<ServiceInstance>>;
  /** Undefined: a 404 of Service Manager. It has no such instance, or none that these credentials may see. */
  getInstance(id: string, options: CallOptions): Promise<ServiceInstance | undefined>;
  /** Instances by name and identity, with their last operations. Usually one or none. */
  findInstances(query: RecoveryQuery, options: CallOptions): Promise<readonly ServiceInstance[]>;
  /** Whether a list has the instance: a second look at one that another call does not find. */
  isInstanceListed(id: string, options: CallOptions): Promise<boolean>;
  /**
   * All instances with the label of the cluster, page by page. Instances that are created or deleted meanwhile may be missing
   * or present.
   */
  eachInstance(
    clusterID: string,
    onPage: (items: readonly ServiceInstance[]) => void,
    options: CallOptions,
  ): Promise<void>;
  updateInstance(
    id: string,
    update: ServiceInstanceUpdate,
    options: WriteOptions,
  ): Promise<Change<ServiceInstance>>;
  /** Shares or unshares. */
  shareInstance(id: string, shared: boolean, options: WriteOptions): Promise<void>;
  deleteInstance(id: string, options: WriteOptions): Promise<Deletion>;

  createBinding(binding: NewServiceBinding, options: WriteOptions): Promise<Change<ServiceBinding>>;
  /** With credentials. Undefined: as `getInstance`. */
  getBinding(id: string, options: CallOptions): Promise<ServiceBinding | undefined>;
  /** Bindings by name and identity, with credentials and their last operations. Usually one or none. */
  findBindings(query: RecoveryQuery, options: CallOptions): Promise<readonly ServiceBinding[]>;
  /** As `isInstanceListed`. */
  isBindingListed(id: string, options: CallOptions): Promise<boolean>;
  /** As `eachInstance`, for bindings. Without credentials. */
  eachBinding(
    clusterID: string,
    onPage: (items: readonly ServiceBinding[]) => void,
    options: CallOptions,
  ): Promise<void>;
  /**
   * Two requests: Service Manager cannot replace a label in one. After an error between them, a repeated call completes the
   * rename.
   */
  renameBinding(id: string, rename: BindingRename, options: WriteOptions): Promise<ServiceBinding>;
  deleteBinding(id: string, options: WriteOptions): Promise<Deletion>;

  /**
   * One poll of an operation. A 404 says that Service Manager does not have the operation any more, and nothing about its resource.
   *
   * @param operationURL as returned by the call that started it, or from `operationURL`
   */
  getOperation(operationURL: string, options: CallOptions): Promise<Operation>;

  /** Requests a new token without the cache. For diagnosis. */
  checkToken(options: CallOptions): Promise<TokenCheck>;
  /** No call follows for now: others may call Service Manager, although the reconcile goes on. */
  release(): void;
  /** Later calls throw. */
  close(): Promise<void>;
}
