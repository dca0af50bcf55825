import type { Fence } from '../../base/concurrency/fence.ts';
import type { CalledHosts, TokenCheck } from '../../http/index.ts';
import type { components } from './openapi.gen.ts';

/** What a mapping leads to: a Kubernetes cluster, a Cloud Foundry organisation, or a subaccount. */
export type Platform = components['schemas']['Platform'];

/** A mapping to be made. For Kubernetes: cluster ID and namespace. */
export interface NewInstanceMapping {
  readonly platform: Platform;
  readonly primaryID: string;
  readonly secondaryID?: string;
  readonly isDefault: boolean;
}

/** A mapping as HANA Cloud has it. */
export interface InstanceMapping {
  /** One of `Platform`, or what a later version of the API has beside them. */
  readonly platform: string;
  readonly primaryID: string;
  readonly secondaryID?: string;
  readonly isDefault: boolean;
}

export interface InstanceMappingKey {
  readonly primaryID: string;
  readonly secondaryID?: string;
}

export type MappingList =
  | { readonly state: 'listed'; readonly mappings: readonly InstanceMapping[] }
  /**
   * The API's own 404: the instance is unknown to it, or hidden from these credentials, or has no mapping; the API
   * does not say which. A 404 of a router never gets here.
   */
  | { readonly state: 'not-found'; readonly mappings: readonly []; readonly message: string };

export interface CallOptions {
  /** Ends the call, retries and waiting included. Its reason is what the call then throws. */
  readonly signal: AbortSignal;
}

export interface ListOptions extends CallOptions {
  /**
   * Whether a list that another call got with these credentials a moment ago is enough. Without it, HANA Cloud is asked,
   * or a list that is under way is waited for. In neither case does the list date from before the last write that went
   * through this process.
   */
  readonly isEnough?: (list: MappingList) => boolean;
}

export interface WriteOptions extends CallOptions {
  /** Asked whenever the request is about to leave, also to be repeated; what it throws keeps it back. */
  readonly fence: Fence;
}

/**
 * One set of credentials' view of HANA Cloud. Every call is bounded in time and size and throws
 * - `auth`: credentials or token refused (once more with a new token after a 401), or EndpointRefusedError
 * - ThrottledError: 429, or 503 with Retry-After, or the host's circuit is open; with the time of the next attempt
 * - `transient`: no response, 5xx, a 404 that is not the API's own, a response that does not fit the contract
 *
 * Lists, deletions and token grants are repeated a few times inside the signal's life; a create only if it
 * provably never left.
 */
export interface HanaCloudClient {
  /** Equal for equal credentials within this process, and says nothing about them: a key for sharing lists. */
  readonly credentialsID: string;
  /**
   * Who asks, the same in every process: a digest of API, token endpoint and client ID, none of which is secret. What
   * one viewer sees may be hidden from another.
   */
  readonly viewer: string;
  /** Names the API, the same in every process and for all its clients: a digest of its base URL. */
  readonly api: string;
  listMappings(serviceInstanceID: string, options: ListOptions): Promise<MappingList>;
  /**
   * `exists`: 409, a mapping with this key is there; list to learn whether it is the same.
   * @throws UnknownInstanceError for the API's own 404
   * @throws LostResponseError where the create may have taken effect
   */
  createMapping(
    serviceInstanceID: string,
    mapping: NewInstanceMapping,
    options: WriteOptions,
  ): Promise<'created' | 'exists'>;
  /** `gone`: the API's own 404. */
  deleteMapping(
    serviceInstanceID: string,
    key: InstanceMappingKey,
    options: WriteOptions,
  ): Promise<'deleted' | 'gone'>;
  /** What its calls depend on. */
  readonly hosts: CalledHosts;
  /** What `resume` takes; absent where nothing can be resumed: with a client certificate, or without shared tokens. */
  readonly access?: RememberedAccess;
  /** Asks the token endpoint for a fresh token, whatever is cached. For diagnosis. */
  checkToken(options: CallOptions): Promise<TokenCheck>;
  /** Ends what belongs to these credentials alone. Calls after it throw. */
  close(): Promise<void>;
}

/** How a client spoke to HANA Cloud. Holds nothing secret: the token that goes with it is kept where all tokens are. */
export interface RememberedAccess {
  readonly credentialsID: string;
  readonly viewer: string;
  readonly baseUrl: string;
}
