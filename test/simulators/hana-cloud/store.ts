import { createHash, randomBytes } from 'node:crypto';

export interface Mapping {
  readonly platform: string;
  readonly primaryID: string;
  readonly secondaryID?: string;
  readonly isDefault: boolean;
}

/** The identity of a mapping of an instance. */
export type MappingKey = Pick<Mapping, 'primaryID' | 'secondaryID'>;

/** An OAuth2 client, as a binding creates one. It may see the instances it was made for. */
export interface Client {
  readonly id: string;
  /** Of a client that proves itself with a secret. */
  readonly secret?: string;
  /** SHA-256 of the certificate (DER, hex), for a client that has one. */
  readonly certificate?: string;
  readonly instances: Set<string>;
}

/** The state that all assertions use: what HANA Cloud would store. */
export interface Store {
  addInstance(id: string): void;
  removeInstance(id: string): void;
  hasInstance(id: string): boolean;
  instances(): string[];
  /** In the order of their creation; empty for an unknown instance. */
  mappings(instance: string): Mapping[];
  /** False: one with this key exists. A new default takes the place of the primaryID's earlier one. */
  addMapping(instance: string, mapping: Mapping): boolean;
  /** As a third party would. False: there was none. */
  removeMapping(instance: string, key: MappingKey): boolean;

  addClient(client: Client): void;
  client(id: string): Client | undefined;
  /** Ends the client and all of its tokens. */
  removeClient(id: string): void;
  issueToken(clientID: string, expiresAt: number, token: string): void;
  /** The client of a valid token, with its number, or why there is none. */
  clientOfToken(token: string, now: number): { client: Client; number: number } | { refused: string };
  /** All tokens, or one client's. */
  revokeTokens(clientID?: string): void;
  /** Tokens ever issued to one client, or to all. */
  tokensIssued(clientID?: string): number;
  /** Forgets mappings and tokens; instances and clients stay. */
  clear(): void;
}

interface TokenRecord {
  /** Of all that were ever issued, from 1 on. */
  readonly number: number;
  readonly clientID: string;
  readonly expiresAt: number;
  revoked: boolean;
}

export function createStore(): Store {
  const instances = new Map<string, Map<string, Mapping>>();
  const clients = new Map<string, Client>();
  const tokens = new Map<string, TokenRecord>();
  let issued = 0;

  return {
    addInstance: (id) => {
      if (!instances.has(id)) instances.set(id, new Map());
    },
    removeInstance: (id) => {
      instances.delete(id);
    },
    hasInstance: (id) => instances.has(id),
    instances: () => [...instances.keys()],
    mappings: (instance) => [...(instances.get(instance)?.values() ?? [])],
    addMapping: (instance, mapping) => {
      const mappings = instances.get(instance);
      if (mappings === undefined) throw new Error(`there is no instance ${instance}`);
      if (mappings.has(keyOf(mapping))) return false;
      if (mapping.isDefault) demoteDefaults(instances.values(), mapping);
      mappings.set(keyOf(mapping), { ...mapping });
      return true;
    },
    removeMapping: (instance, key) => instances.get(instance)?.delete(keyOf(key)) ?? false,

    addClient: (client) => {
      clients.set(client.id, client);
    },
    client: (id) => clients.get(id),
    removeClient: (id) => {
      clients.delete(id);
    },
    issueToken: (clientID, expiresAt, token) => {
      tokens.set(digest(token), { number: ++issued, clientID, expiresAt, revoked: false });
    },
    clientOfToken: (token, now) => {
      const record = tokens.get(digest(token));
      if (record === undefined) return { refused: 'the token is unknown' };
      if (record.revoked) return { refused: 'the token was revoked' };
      if (record.expiresAt <= now) return { refused: 'the token has expired' };
      const client = clients.get(record.clientID);
      if (client === undefined) return { refused: 'the client of the token is gone' };
      return { client, number: record.number };
    },
    revokeTokens: (clientID) => {
      for (const record of tokens.values()) {
        if (clientID === undefined || record.clientID === clientID) record.revoked = true;
      }
    },
    tokensIssued: (clientID) =>
      [...tokens.values()].filter((record) => clientID === undefined || record.clientID === clientID).length,
    clear: () => {
      for (const mappings of instances.values()) mappings.clear();
      tokens.clear();
    },
  };
}

/** isDefault is the default for a primaryID, across instances: the last one to claim it has it. */
function demoteDefaults(all: Iterable<Map<string, Mapping>>, { platform, primaryID }: Mapping): void {
  for (const mappings of all) {
    for (const [key, other] of mappings) {
      if (other.isDefault && other.platform === platform && other.primaryID === primaryID) {
        mappings.set(key, { ...other, isDefault: false });
      }
    }
  }
}

function keyOf({ primaryID, secondaryID }: MappingKey): string {
  return JSON.stringify([primaryID, secondaryID ?? null]);
}

/** Tokens are kept as digests, so that a dump of the store leaks none. */
function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** A fresh secret in the alphabet of real ones, `=` and `-` and `$` included. */
export function randomSecret(): string {
  return `${randomBytes(24).toString('base64url')}$${randomBytes(24).toString('base64url')}=`;
}
