import type { FaultAction, FaultHandle, FaultMatch } from '../../../simulators/hana-cloud/faults/faults.ts';
import type { RequestFilter, RequestRecord } from '../../../simulators/hana-cloud/journal.ts';
import type { HanaCloudSimulator } from '../../../simulators/hana-cloud/simulator.ts';
import type { Mapping } from '../../../simulators/hana-cloud/store.ts';

/** HANA Cloud as seen by one instance: its mappings, the requests about it, and faults for it. */
export interface HanaInstance {
  readonly instanceID: string;
  /** The scenario's mapping in its expected form. */
  mapping(over?: Partial<Mapping>): Mapping;
  /** As a third party would. */
  addMapping(over?: Partial<Mapping>): void;
  removeMapping(over?: Partial<Mapping>): void;
  /** The current position, for `since`. */
  mark(): number;
  /** Requests about this instance, in order. Token requests name no instance and are not among them. */
  requests(filter?: Pick<RequestFilter, 'route' | 'status'> & { readonly since?: number }): RequestRecord[];
  /** The routes of `requests`: `list`, `create`, `delete`. */
  calls(since?: number): string[];
  /** Those among `calls` that are changes, refused and lost ones included. */
  writes(since?: number): string[];
  /** A fault for requests about this instance only. */
  fault(on: FaultMatch, action: FaultAction): FaultHandle;
  /** The OAuth2 client of the instance's current binding. */
  clientID(): string;
  /** Token requests of that client. */
  tokenRequests(since?: number): RequestRecord[];
}

export interface HanaInstanceOptions {
  readonly simulator: HanaCloudSimulator;
  readonly instanceID: string;
  readonly place: Omit<Mapping, 'isDefault'>;
}

export function hanaInstance({ simulator, instanceID, place }: HanaInstanceOptions): HanaInstance {
  const mapping = (over: Partial<Mapping> = {}): Mapping => ({ ...place, isDefault: false, ...over });
  const since = (after: number | undefined) => (after === undefined ? {} : { after });
  const self: HanaInstance = {
    instanceID,
    mapping,
    addMapping: (over) => {
      if (!simulator.store.addMapping(instanceID, mapping(over))) throw new Error('the mapping exists');
    },
    removeMapping: (over) => {
      if (!simulator.store.removeMapping(instanceID, mapping(over))) throw new Error('there is no mapping');
    },
    mark: () => simulator.requests().at(-1)?.id ?? 0,
    requests: ({ since: after, ...filter } = {}) =>
      simulator.requests({ instance: instanceID, ...filter, ...since(after) }),
    calls: (after) =>
      self.requests(after === undefined ? {} : { since: after }).map(({ route = '' }) => route),
    writes: (after) => self.calls(after).filter((route) => route !== 'list'),
    fault: (on, action) => simulator.faults.add({ on: { ...on, instance: instanceID }, do: action }),
    clientID: () => {
      const { fields } = simulator.secrets(instanceID);
      const { clientid }: { clientid: string } = JSON.parse(fields.uaa ?? '{}');
      return clientid;
    },
    tokenRequests: (after) =>
      simulator.requests({ route: 'token', clientID: self.clientID(), ...since(after) }),
  };
  return self;
}
