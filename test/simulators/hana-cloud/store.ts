import { createOAuthClients, type OAuthClient, type OAuthClients } from '../base/oauth/clients.ts';

export { randomSecret } from '../base/oauth/clients.ts';

export interface Mapping {
  readonly platform: string;
  readonly primaryID: string;
  readonly secondaryID?: string;
  readonly isDefault: boolean;
}

/** The identity of a mapping of an instance. */
export type MappingKey = Pick<Mapping, 'primaryID' | 'secondaryID'>;

/** A client that may see the instances it was made for. */
export interface Client extends OAuthClient {
  readonly instances: Set<string>;
}

/** The state that all assertions use: what HANA Cloud would store. */
export interface Store extends OAuthClients<Client> {
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

  /** Forgets mappings and tokens; instances and clients stay. */
  clear(): void;
}

export function createStore(): Store {
  const instances = new Map<string, Map<string, Mapping>>();
  const clients = createOAuthClients<Client>();

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
    ...clients,
    clear: () => {
      for (const mappings of instances.values()) mappings.clear();
      clients.clearTokens();
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
