import type * as base from '../base/faults/faults.ts';
import type * as journal from '../base/journal.ts';
import type { TokenSettings } from '../base/oauth/token-service.ts';
import type { Route } from './contract.ts';
import type { CredentialForms } from './credentials.ts';
import type { RateLimit } from './service/rate-limit.ts';
import type { Modes } from './state/modes.ts';
import type { Store } from './state/store.ts';

export type FaultRule = base.FaultRule<Route>;
export type Faults = base.Faults<Route>;
export type RequestFilter = journal.RequestFilter<Route>;
export type RequestRecord = journal.RequestRecord<Route>;

export interface Settings extends TokenSettings {
  /** Latency of every response. */
  latencyMs: number;
  /** Items of a page. */
  pageSize: number;
  /** Null: none. */
  rateLimit: RateLimit | null;
}

export interface ServiceManagerSimulator {
  /** `https://host:port` of the API and of the token endpoint `/oauth/token`. */
  readonly url: string;
  /** PEM. */
  readonly caCertificate: string;
  readonly store: Store;
  /** Which changes are asynchronous, and how they end. */
  readonly modes: Modes;
  readonly faults: Faults;
  /** May be changed at any time. */
  readonly settings: Settings;
  /** Data of the operator's Secret for a subaccount; the same at each call. Default: `subaccount-1`. */
  credentials(subaccount?: string): Promise<CredentialForms>;
  rotateCredentials(subaccount: string, options?: { readonly revokeOld?: boolean }): Promise<CredentialForms>;
  /** In the order in which they came, with bodies and headers of the operator. */
  requests(filter?: RequestFilter): RequestRecord[];
  /** The most requests in flight at a time since the start or the last reset. */
  maxInFlight(): number;
  /** Connections made since the start. */
  connections(): number;
  /** Violations of the contract, and changes of resources of other clusters. A test should find none. */
  violations(): string[];
  /** All tokens, or one client's. */
  revokeTokens(clientID?: string): void;
  /** Forgets objects, tokens, modes, faults, records and changed settings. Credentials and catalog stay. */
  reset(): void;
  stop(): Promise<void>;
}
