import { ThrottledError } from '../../../base/errors/errors.ts';
import {
  type Change,
  type Deletion,
  type NewServiceInstance,
  type Operation,
  type OperationType,
  operationURL,
  type ServiceInstance,
  type ServiceInstanceUpdate,
  type ServiceManagerClient,
  ServiceManagerError,
} from '../../../clients/service-manager/index.ts';
import { LostResponseError } from '../../../http/index.ts';

type Call = 'create' | 'get' | 'find' | 'update' | 'share' | 'unshare' | 'delete' | 'operation' | 'plan';

/** An instance as Service Manager keeps it. */
export interface KeptInstance extends NewServiceInstance {
  readonly id: string;
  ready: boolean;
  shared: boolean;
  lastOperation?: Operation;
}

/** Service Manager in memory, behind its client. The real client and the simulator are used by the integration tests. */
export interface FakeServiceManager {
  readonly client: ServiceManagerClient;
  readonly instances: Map<string, KeptInstance>;
  /** Calls so far, with the instance or its content. */
  readonly calls: { readonly call: Call; readonly argument: unknown }[];
  count(call: Call): number;
  /** Fails the next calls with these errors, in order; the last one is repeated if `forever`. */
  fail(call: Call, errors: readonly Error[], forever?: 'forever'): void;
  heal(call: Call): void;
  /** Changes of this type become operations. `polls`: in progress for as many polls. */
  async(type: OperationType, outcome: AsyncOutcome): void;
  sync(type: OperationType): void;
  add(instance: Partial<KeptInstance> & { readonly id: string }): KeptInstance;
}

export interface AsyncOutcome {
  readonly polls?: number;
  readonly description?: string;
  readonly errorDescription?: string;
  readonly state?: 'succeeded' | 'failed';
}

/** An error response with the text of the description, or of the broker. */
export function refusal(
  status: number,
  text: string,
  kind: ServiceManagerError['class'] = status >= 500 ? 'transient' : 'non-transient',
): ServiceManagerError {
  const details = {
    kind: 'transient' as const,
    status,
    route: 'route',
    class: kind,
    text,
    isEffectUnknown: false,
  };
  return new ServiceManagerError(`route answered ${status}: ${text}`, details);
}

export const throttled = () => new ThrottledError('cannot call: 429', 1000);
export const lostResponse = () => new LostResponseError('cannot create instance: no response');

const plan = {
  plan: { id: 'plan-1', catalogName: 'application', serviceOfferingID: 'offering-1' },
  offering: { id: 'offering-1', catalogName: 'xsuaa', tags: ['test'] },
};

export function createFakeServiceManager(): FakeServiceManager {
  const instances = new Map<string, KeptInstance>();
  const operations = new Map<
    string,
    { left: number; readonly operation: Operation; readonly end: () => void }
  >();
  const calls: { call: Call; argument: unknown }[] = [];
  const failures = new Map<Call, { errors: Error[]; forever: boolean }>();
  const outcomes = new Map<OperationType, AsyncOutcome>();
  let ids = 0;

  const begin = (call: Call, argument: unknown) => {
    calls.push({ call, argument });
    const planned = failures.get(call);
    const error =
      planned?.forever && planned.errors.length === 1 ? planned.errors[0] : planned?.errors.shift();
    if (error !== undefined) throw error;
  };
  const busy = (id: string) => {
    if (instances.get(id)?.lastOperation?.state !== 'in progress') return;
    throw refusal(422, 'Another concurrent operation is in progress', 'concurrent-operation');
  };
  const shown = (instance: KeptInstance): ServiceInstance => ({
    ...instance,
    labels: {},
    subaccountID: 'subaccount-1',
    usable: instance.ready,
  });
  const start = (type: OperationType, id: string, outcome: AsyncOutcome, end: () => void) => {
    const { polls = 1, description, errorDescription, state = 'succeeded' } = outcome;
    const operationID = `op-${++ids}`;
    const url = operationURL({ collection: 'service_instances', id, operationID });
    const operation: Operation = {
      id: operationID,
      type,
      state: 'in progress',
      ...(description ? { description } : {}),
    };
    const ended: Operation = { ...operation, state, ...(errorDescription ? { errorDescription } : {}) };
    operations.set(url, {
      left: polls,
      operation: ended,
      end: () => {
        const instance = instances.get(id);
        if (instance) instance.lastOperation = ended;
        if (state === 'succeeded') end();
      },
    });
    const instance = instances.get(id);
    if (instance) instance.lastOperation = operation;
    return { state: 'in-progress' as const, id, operationURL: url };
  };

  const client: ServiceManagerClient = {
    credentialsID: 'id',
    hosts: { api: 'sm.example', token: 'token.example' } as never,
    selectPlan: async (selection) => {
      begin('plan', selection);
      return plan;
    },
    planByID: async () => plan,
    createInstance: async (content, { fence }): Promise<Change<ServiceInstance>> => {
      fence();
      if ([...instances.values()].some(({ name }) => name === content.name)) {
        throw refusal(409, `name ${content.name} is taken`, 'conflict');
      }
      let lost: Error | undefined;
      try {
        begin('create', content);
      } catch (error) {
        if (!(error instanceof LostResponseError)) throw error;
        lost = error;
      }
      const id = `id-${++ids}`;
      const outcome = outcomes.get('create');
      const instance: KeptInstance = { ...content, id, ready: outcome === undefined, shared: false };
      instances.set(id, instance);
      const change: Change<ServiceInstance> =
        outcome === undefined
          ? { state: 'done', resource: shown(instance) }
          : start('create', id, outcome, () => {
              instance.ready = true;
            });
      if (lost) throw lost;
      return change;
    },
    getInstance: async (id) => {
      begin('get', id);
      const found = instances.get(id);
      return found && shown(found);
    },
    findInstances: async (query) => {
      begin('find', query);
      return [...instances.values()].filter(({ name }) => name === query.name).map(shown);
    },
    updateInstance: async (id, update: ServiceInstanceUpdate, { fence }) => {
      fence();
      begin('update', update);
      busy(id);
      const instance = instances.get(id);
      if (instance === undefined) throw refusal(404, 'not found', 'not-found');
      const change = () => void instances.set(id, Object.assign(instance, update));
      const outcome = outcomes.get('update');
      if (outcome !== undefined) return start('update', id, outcome, change);
      change();
      return { state: 'done', resource: shown(instance) };
    },
    shareInstance: async (id, shared, { fence }) => {
      fence();
      begin(shared ? 'share' : 'unshare', id);
      const instance = instances.get(id);
      if (instance) instance.shared = shared;
    },
    deleteInstance: async (id, { fence }): Promise<Deletion> => {
      fence();
      begin('delete', id);
      if (!instances.has(id)) return { state: 'gone' };
      busy(id);
      const outcome = outcomes.get('delete');
      const remove = () => void instances.delete(id);
      if (outcome !== undefined) return start('delete', id, outcome, remove);
      remove();
      return { state: 'gone' };
    },
    getOperation: async (url, { type }) => {
      begin('operation', url);
      const found = operations.get(url);
      if (found === undefined) {
        if (type === 'delete') return { state: 'succeeded', type };
        throw refusal(404, 'no such operation', 'not-found');
      }
      if (found.left-- > 0) return { ...found.operation, state: 'in progress' };
      operations.delete(url);
      found.end();
      return found.operation;
    },
    createBinding: notUsed,
    getBinding: notUsed,
    findBindings: notUsed,
    renameBinding: notUsed,
    deleteBinding: notUsed,
    checkToken: notUsed,
    close: async () => undefined,
  };
  return {
    client,
    instances,
    calls,
    count: (call) => calls.filter((each) => each.call === call).length,
    fail: (call, errors, forever) =>
      void failures.set(call, { errors: [...errors], forever: forever === 'forever' }),
    heal: (call) => void failures.delete(call),
    async: (type, outcome) => void outcomes.set(type, outcome),
    sync: (type) => void outcomes.delete(type),
    add: (given) => {
      const identity = { clusterID: 'cluster-1', namespace: 'shop', name: 'orders' };
      const instance = {
        name: 'orders',
        servicePlanID: 'plan-1',
        identity,
        ready: true,
        shared: false,
        ...given,
      };
      instances.set(given.id, instance);
      return instance;
    },
  };
}

async function notUsed(): Promise<never> {
  throw new TypeError('a ServiceInstance does not need this call');
}
