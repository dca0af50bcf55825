import type { Fence } from '../../../framework/base/index.ts';

import type { CalledHosts, KnownAccess, TokenCheck } from '../../../framework/http/index.ts';
import type { components } from './openapi.gen.ts';

/** The target of a mapping: a Kubernetes cluster, a Cloud Foundry organisation, or a subaccount. */
export type Platform = components['schemas']['Platform'];

/** A mapping to create. For Kubernetes: cluster ID and namespace. */
export interface NewInstanceMapping {
  readonly platform: Platform;
  readonly primaryID: string;
  readonly secondaryID?: string;
  readonly isDefault: boolean;
}

/** A mapping in HANA Cloud. */
export interface InstanceMapping {
  /** One of `Platform`, or a platform of a later version of the API. */
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
   * A 404 of the API: the instance does not exist, is not visible to these credentials, or has no mapping. A 404 of a
   * router is an error instead.
   */
  | { readonly state: 'not-found'; readonly mappings: readonly []; readonly message: string };

/** Of each call of the HANA Cloud client. */
export interface HanaCallOptions {
  /** Aborts the call with its retries and waits. The call throws its reason. */
  readonly signal: AbortSignal;
}

export interface ListOptions extends HanaCallOptions {
  /**
   * Whether a recent list of another call with these credentials may be used. Default: a new request, or a shared one in
   * progress. A list is never older than the last write of this process.
   */
  readonly isEnough?: (list: MappingList) => boolean;
}

export interface WriteOptions extends HanaCallOptions {
  /** Called directly before each attempt is sent; may throw. */
  readonly fence: Fence;
}

/**
 * The client of HANA Cloud for one set of credentials. Every call is limited in time and size and throws
 * - `auth`: credentials or token refused (after a retry with a new token), or EndpointRefusedError
 * - ThrottledError: 429, or 503 with Retry-After, or the host's circuit is open; with the delay before the next attempt
 * - `transient`: no response, 5xx, a 404 of a router, a response that does not match the contract
 *
 * Lists, deletions and token grants are retried a few times until the signal is aborted; a create only if it was certainly
 * not sent.
 */
export interface HanaCloudClient {
  /** A keyed hash, equal for equal credentials within this process. A key to share lists. */
  readonly credentialsID: string;
  /**
   * The OAuth client, equal in every process: a digest of API, token endpoint and client ID, none of which is secret.
   * Mappings that are visible to one viewer may not be visible to another.
   */
  readonly viewer: string;
  /** The API, equal in every process and for all its clients: a digest of its base URL. */
  readonly api: string;
  listMappings(serviceInstanceID: string, options: ListOptions): Promise<MappingList>;
  /**
   * `exists`: 409, a mapping with this key exists; only a list shows whether it is the same.
   * @throws UnknownInstanceError for a 404 of the API
   * @throws LostResponseError if the create may have taken effect
   */
  createMapping(
    serviceInstanceID: string,
    mapping: NewInstanceMapping,
    options: WriteOptions,
  ): Promise<'created' | 'exists'>;
  /** `gone`: a 404 of the API. */
  deleteMapping(
    serviceInstanceID: string,
    key: InstanceMappingKey,
    options: WriteOptions,
  ): Promise<'deleted' | 'gone'>;
  /** The hosts of its calls. */
  readonly hosts: CalledHosts;
  /** For `resume`. Absent with a client certificate or without shared tokens. */
  readonly access?: RememberedAccess;
  /** Requests a new token without the cache. For diagnosis. */
  checkToken(options: HanaCallOptions): Promise<TokenCheck>;
  /** Closes connections of these credentials. Later calls throw. */
  close(): Promise<void>;
}

/** What `reopen` needs. Contains no credential. */
export interface KnownCredentials extends KnownAccess {
  readonly viewer: string;
}

/** What `resume` needs. Contains no credential; the token stays in the token cache. */
export interface RememberedAccess {
  readonly credentialsID: string;
  readonly viewer: string;
  readonly baseUrl: string;
}
