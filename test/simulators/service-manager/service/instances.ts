import { randomUUID } from 'node:crypto';
import { type Answer, json } from '../../base/answer.ts';
import { badRequest, concurrent, conflict, notFound } from '../answers.ts';
import type { Mode, Modes } from '../state/modes.ts';
import type { Instance, Operation, OperationType, Store, Subaccount } from '../state/store.ts';
import type { BrokerInstance, ServiceBroker } from './broker.ts';
import type { ForeignCopies } from './foreign-copies.ts';
import { listed } from './lists.ts';

/** Bodies, valid against the contract. */
interface NewInstance {
  readonly name: string;
  readonly service_plan_id: string;
  readonly parameters?: unknown;
  readonly labels: Readonly<Record<string, string[]>>;
}
type InstanceChange = { readonly shared: boolean } | Omit<NewInstance, 'labels'>;

export interface ObjectsOptions {
  readonly store: Store;
  readonly modes: Modes;
  readonly broker: ServiceBroker;
  readonly pageSize: () => number;
  readonly foreign: ForeignCopies;
}

export const accepted = (path: string, { id }: Operation): Answer => ({
  status: 202,
  headers: { 'content-type': 'application/json', location: `${path}/operations/${id}` },
  body: '{}',
});

const FIELDS = ['id', 'name', 'service_plan_id', 'platform_id', 'context/clusterid', 'context/namespace'];

/** Service instances of a subaccount. */
export function createInstances({ store, modes, broker, pageSize, foreign }: ObjectsOptions) {
  const brokered = ({ id, service_plan_id }: Instance): BrokerInstance => ({
    id,
    plan: store.plan(service_plan_id)?.catalog_name ?? '',
  });
  const modeOf = (operation: OperationType, name: string, planID: string): Mode =>
    modes.of({ kind: 'instance', operation, name, plan: store.plan(planID)?.catalog_name ?? '' });
  const pathOf = ({ id }: Instance) => `/v1/service_instances/${encodeURIComponent(id)}`;
  const isTaken = ({ instances }: Subaccount, name: string, id?: string) =>
    [...instances.values()].some((instance) => instance.name === name && instance.id !== id);

  const share = (instance: Instance, shared: boolean): Answer => {
    if (shared && store.plan(instance.service_plan_id)?.shareable === false)
      return badRequest('the service plan does not support instance sharing');
    instance.shared = shared;
    return json(200, shown(instance));
  };

  return {
    list: (subaccount: Subaccount, query: URLSearchParams): Answer =>
      listed({
        query,
        items: [...subaccount.instances.values(), ...foreign.instances(subaccount)],
        fields: FIELDS,
        labelsOf: ({ labels }) => labels,
        pageSize: pageSize(),
        shown: (instance) => shown(instance, query.get('attach_last_operations') === 'true'),
      }),

    get: (subaccount: Subaccount, id: string): Answer => {
      const copies = foreign.instances(subaccount);
      const instance = subaccount.instances.get(id) ?? copies.find((copy) => copy.id === id);
      return instance === undefined ? unknown(id) : json(200, shown(instance, true));
    },

    create: (subaccount: Subaccount, body: unknown): Answer => {
      // The contract's schema was checked before.
      const { name, service_plan_id, parameters, labels } = body as NewInstance;
      if (store.plan(service_plan_id) === undefined) return notFound('could not find such service_plan');
      if (isTaken(subaccount, name)) return conflict(`found conflicting service_instance: ${name}`);
      const [clusterid = ''] = labels._clusterid ?? [];
      const [namespace = ''] = labels._namespace ?? [];
      const mode = modeOf('create', name, service_plan_id);
      const instance: Instance = {
        id: store.newID('instance'),
        name,
        service_plan_id,
        platform_id: subaccount.platformID,
        labels: { ...labels, subaccount_id: [subaccount.id] },
        context: { subaccount_id: subaccount.id, platform: 'kubernetes', clusterid, namespace },
        ready: mode.async === undefined,
        usable: mode.async === undefined,
        shared: false,
        ...(parameters === undefined ? {} : { parameters }),
      };
      subaccount.instances.set(instance.id, instance);
      foreign.placeInstance(subaccount, instance);
      if (mode.async === undefined) {
        instance.last_operation = done('create', instance.id);
        broker.provision(brokered(instance));
        return json(201, shown(instance));
      }
      const operation = store.startOperation(instance, 'create', mode.async, (state) => {
        instance.ready = state === 'succeeded';
        instance.usable = instance.ready;
        if (instance.ready) broker.provision(brokered(instance));
      });
      return accepted(pathOf(instance), operation);
    },

    update: (subaccount: Subaccount, id: string, body: unknown): Answer => {
      const instance = subaccount.instances.get(id);
      if (instance === undefined) return foreign.refuse('updates instance', id) ?? unknown(id);
      const change = body as InstanceChange;
      if (store.isBusy(instance)) return concurrent();
      if ('shared' in change) return share(instance, change.shared);
      const { name, service_plan_id, parameters } = change;
      const [from, to] = [store.plan(instance.service_plan_id), store.plan(service_plan_id)];
      if (to === undefined) return notFound('could not find such service_plan');
      if (from?.id !== to.id && (from?.updatable === false || to.updatable === false))
        return badRequest('the service plan cannot be changed');
      if (isTaken(subaccount, name, id)) return conflict(`found conflicting service_instance: ${name}`);
      const apply = () => {
        instance.name = name;
        instance.service_plan_id = service_plan_id;
        if (parameters !== undefined) instance.parameters = parameters;
      };
      const mode = modeOf('update', name, service_plan_id);
      if (mode.async === undefined) {
        apply();
        instance.last_operation = done('update', instance.id);
        return json(200, shown(instance));
      }
      const operation = store.startOperation(instance, 'update', mode.async, (state) => {
        if (state === 'succeeded') apply();
      });
      return accepted(pathOf(instance), operation);
    },

    remove: (subaccount: Subaccount, id: string): Answer => {
      const instance = subaccount.instances.get(id);
      if (instance === undefined) return foreign.refuse('deletes instance', id) ?? unknown(id);
      if ([...subaccount.bindings.values()].some((binding) => binding.service_instance_id === id))
        return badRequest('could not delete instance due to existing bindings');
      if (store.isBusy(instance)) return concurrent();
      const mode = modeOf('delete', instance.name, instance.service_plan_id);
      const remove = () => {
        subaccount.instances.delete(id);
        broker.deprovision(brokered(instance));
      };
      if (mode.async === undefined) {
        remove();
        return json(200, {});
      }
      const operation = store.startOperation(instance, 'delete', mode.async, (state) => {
        if (state === 'succeeded') remove();
      });
      return accepted(pathOf(instance), operation);
    },
  };
}

const unknown = (id: string) => notFound(`could not find such service_instance: ${id}`);

/** The operation of a synchronous change. */
export function done(type: OperationType, resource_id: string): Operation {
  return { id: randomUUID(), type, resource_id, description: '', state: 'succeeded' };
}

function shown(instance: Instance, attached = false): object {
  const { parameters, last_operation, ...rest } = instance;
  return attached && last_operation !== undefined ? { ...rest, last_operation } : rest;
}
