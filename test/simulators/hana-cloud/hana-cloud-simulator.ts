import type { TokenSettings } from '../base/oauth/token-service.ts';
import type { Faults } from './faults/faults.ts';
import type { RequestFilter, RequestRecord } from './journal.ts';
import type { CredentialForms, SecretForms } from './oauth/credentials.ts';
import type { Store } from './store.ts';

export interface Settings extends TokenSettings {
  /** Latency of every response. */
  latencyMs: number;
  /** The response for an instance that exists but is hidden from the client. */
  hiddenAs: 403 | 404;
}

export interface HanaCloudSimulator {
  /** `https://host:port`; the credentials have it as `host:port`. */
  readonly apiUrl: string;
  /** `uaa.url`, without `/oauth/token`. */
  readonly tokenUrl: string;
  /** `uaa.certurl`: grants only to clients with a certificate. */
  readonly certTokenUrl: string;
  /** PEM. */
  readonly caCertificate: string;
  readonly store: Store;
  readonly faults: Faults;
  /** May be changed at any time. */
  readonly settings: Settings;
  /** Data of the Secret of an instance's binding; the same at each call. */
  credentials(instance: string): Promise<CredentialForms>;
  /** The same without the form that has a certificate. */
  secrets(instance: string): SecretForms;
  /** A new binding's. */
  rotateCredentials(instance: string, options?: { readonly revokeOld?: boolean }): Promise<CredentialForms>;
  /** In the order in which they came. */
  requests(filter?: RequestFilter): RequestRecord[];
  /** The most requests in flight at a time, token requests included, since the start or the last reset. */
  maxInFlight(): number;
  /** Connections made since the start or the last reset, by endpoint. */
  connections(): { readonly api: number; readonly token: number; readonly certToken: number };
  /** Connections there are now, to all endpoints. */
  openConnections(): number;
  /** Violations of the contract, and deletions of mappings of others. A test should find none. */
  violations(): string[];
  /** All tokens, or one client's. */
  revokeTokens(clientID?: string): void;
  /** Forgets mappings, tokens, faults, records and changed settings. Instances and credentials stay. */
  reset(): void;
  stop(): Promise<void>;
}
