import { randomUUID } from 'node:crypto';
import { createOAuthClients, type OAuthClient, type OAuthClients } from '../../base/oauth/clients.ts';
import type { Catalog, Offering, Plan } from './catalog.ts';
import type { Mode } from './modes.ts';

/** A client of one subaccount. */
export interface Client extends OAuthClient {
  readonly subaccount: string;
}

export type Labels = Record<string, string[]>;
export type OperationType = 'create' | 'update' | 'delete';

export interface Operation {
  readonly id: string;
  /** Absent if the mode says so. */
  readonly type?: OperationType;
  readonly resource_id: string;
  readonly description: string;
  state: 'pending' | 'in progress' | 'succeeded' | 'failed';
  errors?: unknown;
}

/** What instances and bindings have in common. */
export interface Resource {
  readonly id: string;
  name: string;
  labels: Labels;
  ready: boolean;
  last_operation?: Operation;
}

export interface Instance extends Resource {
  service_plan_id: string;
  readonly platform_id: string;
  readonly context: Readonly<Record<string, string>>;
  usable: boolean;
  shared: boolean;
  /** Of the last create or update. Not part of responses. */
  parameters?: unknown;
}

export interface Binding extends Resource {
  readonly service_instance_id: string;
  credentials?: unknown;
  parameters?: unknown;
}

/** The objects of one subaccount. */
export interface Subaccount {
  readonly id: string;
  /** ID of its service-operator-access instance. */
  readonly platformID: string;
  readonly instances: Map<string, Instance>;
  readonly bindings: Map<string, Binding>;
}

interface RunningOperation {
  readonly operation: Operation;
  /** Polls that are left; null: until it is finished. */
  polls: number | null;
  pending: number;
  readonly outcome: 'succeeded' | 'failed';
  readonly errors: unknown;
  readonly finish: (state: 'succeeded' | 'failed') => void;
}

export type NewID = (of: 'instance' | 'binding' | 'operation') => string;

/** The state that all assertions use: what Service Manager would store. */
export interface Store extends OAuthClients<Client> {
  readonly newID: NewID;
  /** May be replaced. */
  catalog: Catalog;
  offering(id: string): Offering | undefined;
  plan(id: string): Plan | undefined;
  /** Created by its first use. */
  subaccount(id: string): Subaccount;
  /** Of all subaccounts, in the order of their creation. */
  instances(): Instance[];
  bindings(): Binding[];
  /** The object is gone without a request of a client. */
  removeInstance(id: string): boolean;
  removeBinding(id: string): boolean;
  /** Starts an operation by its mode. `finish` is called with its end. */
  startOperation(
    resource: Resource,
    type: OperationType,
    mode: NonNullable<Mode['async']>,
    finish: (state: 'succeeded' | 'failed') => void,
  ): Operation;
  operation(id: string): Operation | undefined;
  /** An operation of the resource is in progress. This counts as a poll of one that was started here. */
  isBusy(resource: Resource): boolean;
  /** One poll of an operation. */
  poll(id: string): Operation | undefined;
  /** Ends an operation, whatever its polls. */
  finishOperation(id: string, state: 'succeeded' | 'failed', errors?: unknown): boolean;
  /** The operation can no longer be found. */
  removeOperation(id: string): boolean;
  /** Forgets all objects, operations and tokens; clients and catalog stay. */
  clear(): void;
}

/** @param newID default: a random one */
export function createStore(catalog: Catalog, newID: NewID = () => randomUUID()): Store {
  const clients = createOAuthClients<Client>();
  const subaccounts = new Map<string, Subaccount>();
  const operations = new Map<string, Operation>();
  const running = new Map<string, RunningOperation>();
  const removeFrom = (of: (subaccount: Subaccount) => Map<string, unknown>, id: string) =>
    [...subaccounts.values()].some((subaccount) => of(subaccount).delete(id));

  const end = (entry: RunningOperation, state: 'succeeded' | 'failed', errors: unknown) => {
    const { operation } = entry;
    running.delete(operation.id);
    operation.state = state;
    if (state === 'failed') operation.errors = errors;
    entry.finish(state);
  };
  const advance = (entry: RunningOperation) => {
    if (entry.polls === null) return;
    if (entry.polls <= 0) {
      end(entry, entry.outcome, entry.errors);
      return;
    }
    entry.polls--;
    entry.operation.state = entry.pending > 0 ? 'pending' : 'in progress';
    entry.pending--;
  };

  const store: Store = {
    ...clients,
    newID,
    catalog,
    offering: (id) => store.catalog.offerings.find((offering) => offering.id === id),
    plan: (id) => store.catalog.plans.find((plan) => plan.id === id),
    subaccount: (id) => {
      const known = subaccounts.get(id);
      if (known !== undefined) return known;
      const created = { id, platformID: `platform-${id}`, instances: new Map(), bindings: new Map() };
      subaccounts.set(id, created);
      return created;
    },
    instances: () => [...subaccounts.values()].flatMap(({ instances }) => [...instances.values()]),
    bindings: () => [...subaccounts.values()].flatMap(({ bindings }) => [...bindings.values()]),
    removeInstance: (id) => removeFrom(({ instances }) => instances, id),
    removeBinding: (id) => removeFrom(({ bindings }) => bindings, id),
    startOperation: (resource, type, mode, finish) => {
      const { polls, pending = 0, description = '', outcome = 'succeeded', omitType = false } = mode;
      const operation: Operation = {
        id: newID('operation'),
        ...(omitType ? {} : { type }),
        resource_id: resource.id,
        description,
        state: pending > 0 ? 'pending' : 'in progress',
      };
      const { errors = { description: 'the service broker failed' } } = mode;
      operations.set(operation.id, operation);
      running.set(operation.id, { operation, polls, pending, outcome, errors, finish });
      resource.last_operation = operation;
      return operation;
    },
    operation: (id) => operations.get(id),
    isBusy: ({ last_operation }) => {
      const entry = last_operation && running.get(last_operation.id);
      if (entry !== undefined) advance(entry);
      return entry !== undefined || ['pending', 'in progress'].includes(last_operation?.state ?? '');
    },
    poll: (id) => {
      const entry = running.get(id);
      if (entry !== undefined) advance(entry);
      return operations.get(id);
    },
    finishOperation: (id, state, errors = { description: 'the service broker failed' }) => {
      const entry = running.get(id);
      if (entry !== undefined) end(entry, state, errors);
      return entry !== undefined;
    },
    removeOperation: (id) => operations.delete(id),
    clear: () => {
      subaccounts.clear();
      operations.clear();
      running.clear();
      clients.clearTokens();
    },
  };
  return store;
}
