import { type Answer, json } from '../../base/answer.ts';
import { badRequest, concurrent, conflict, notFound } from '../answers.ts';
import type { Mode } from '../state/modes.ts';
import type { Binding, OperationType, Subaccount } from '../state/store.ts';
import type { BrokerBinding } from './broker.ts';
import { accepted, done, type ObjectsOptions } from './instances.ts';
import { listed } from './lists.ts';

/** Bodies, valid against the contract. */
interface NewBinding {
  readonly name: string;
  readonly service_instance_id: string;
  readonly parameters?: unknown;
  readonly labels: Readonly<Record<string, string[]>>;
}
interface BindingChange {
  readonly name?: string;
  readonly labels?: readonly {
    readonly op: 'add' | 'remove';
    readonly key: string;
    readonly values?: string[] | null;
  }[];
}

const FIELDS = ['id', 'name', 'service_instance_id', 'context/clusterid', 'context/namespace'];

/** Service bindings of a subaccount. */
export function createBindings({ store, modes, broker, pageSize, foreign }: ObjectsOptions) {
  const pathOf = ({ id }: Binding) => `/v1/service_bindings/${encodeURIComponent(id)}`;
  const planOf = ({ instances }: Subaccount, instanceID: string) =>
    store.plan(instances.get(instanceID)?.service_plan_id ?? '');
  const modeOf = (operation: OperationType, name: string, plan: string): Mode =>
    modes.of({ kind: 'binding', operation, name, plan });
  const brokered = ({ id, name, service_instance_id }: Binding, plan: string): BrokerBinding => ({
    id,
    name,
    instance: { id: service_instance_id, plan },
  });
  const isTaken = ({ bindings }: Subaccount, name: string, instanceID: string, id?: string) =>
    [...bindings.values()].some(
      (binding) => binding.name === name && binding.service_instance_id === instanceID && binding.id !== id,
    );

  return {
    list: (subaccount: Subaccount, query: URLSearchParams): Answer =>
      listed({
        query,
        items: [...subaccount.bindings.values(), ...foreign.bindings(subaccount)].map((binding) => ({
          ...binding,
          context: contextOf(binding),
        })),
        fields: FIELDS,
        labelsOf: ({ labels }) => labels,
        pageSize: pageSize(),
        shown: (binding) => shown(binding, query.get('attach_last_operations') === 'true'),
      }),

    get: (subaccount: Subaccount, id: string): Answer => {
      const copies = foreign.bindings(subaccount);
      const binding = subaccount.bindings.get(id) ?? copies.find((copy) => copy.id === id);
      return binding === undefined ? unknown(id) : json(200, shown(binding, true));
    },

    create: (subaccount: Subaccount, body: unknown): Answer => {
      // The contract's schema was checked before.
      const { name, service_instance_id, parameters, labels } = body as NewBinding;
      const instance = subaccount.instances.get(service_instance_id);
      if (instance === undefined)
        return notFound(`could not find such service_instance: ${service_instance_id}`);
      const plan = planOf(subaccount, service_instance_id);
      if (plan?.bindable === false) return badRequest('the service plan is not bindable');
      if (isTaken(subaccount, name, service_instance_id))
        return conflict(`found conflicting service_binding: ${name}`);
      if (store.isBusy(instance)) return concurrent();
      const planName = plan?.catalog_name ?? '';
      const mode = modeOf('create', name, planName);
      const binding: Binding = {
        id: store.newID('binding'),
        name,
        service_instance_id,
        labels: { ...labels, subaccount_id: [subaccount.id] },
        ready: mode.async === undefined,
        ...(parameters === undefined ? {} : { parameters }),
      };
      const bindAtBroker = () => {
        binding.credentials =
          mode.credentials === undefined ? broker.bind(brokered(binding, planName)) : mode.credentials;
      };
      subaccount.bindings.set(binding.id, binding);
      foreign.placeBinding(subaccount, binding);
      if (mode.async === undefined) {
        bindAtBroker();
        binding.last_operation = done('create', binding.id);
        return json(201, shown(binding));
      }
      const operation = store.startOperation(binding, 'create', mode.async, (state) => {
        binding.ready = state === 'succeeded';
        if (binding.ready) bindAtBroker();
      });
      return accepted(pathOf(binding), operation);
    },

    update: (subaccount: Subaccount, id: string, body: unknown): Answer => {
      const binding = subaccount.bindings.get(id);
      if (binding === undefined) return foreign.refuse('updates binding', id) ?? unknown(id);
      const { name = binding.name, labels = [] } = body as BindingChange;
      if (new Set(labels.map(({ key }) => key)).size < labels.length)
        return badRequest('a label key can be changed only once in a request');
      if (store.isBusy(binding)) return concurrent();
      if (isTaken(subaccount, name, binding.service_instance_id, id))
        return conflict(`found conflicting service_binding: ${name}`);
      binding.name = name;
      for (const { op, key, values } of labels) {
        if (op === 'add') binding.labels[key] = [...(binding.labels[key] ?? []), ...(values ?? [])];
        else delete binding.labels[key];
      }
      return json(200, shown(binding));
    },

    remove: (subaccount: Subaccount, id: string): Answer => {
      const binding = subaccount.bindings.get(id);
      if (binding === undefined) return foreign.refuse('deletes binding', id) ?? unknown(id);
      if (store.isBusy(binding)) return concurrent();
      const plan = planOf(subaccount, binding.service_instance_id)?.catalog_name ?? '';
      const mode = modeOf('delete', binding.name, plan);
      const remove = () => {
        subaccount.bindings.delete(id);
        broker.unbind(brokered(binding, plan));
      };
      if (mode.async === undefined) {
        remove();
        return json(200, {});
      }
      const operation = store.startOperation(binding, 'delete', mode.async, (state) => {
        if (state === 'succeeded') remove();
      });
      return accepted(pathOf(binding), operation);
    },
  };
}

const unknown = (id: string) => notFound(`could not find such service_binding: ${id}`);

const contextOf = ({ labels }: Binding) => ({
  clusterid: labels._clusterid?.[0] ?? '',
  namespace: labels._namespace?.[0] ?? '',
});

function shown(binding: Binding & { readonly context?: object }, attached = false): object {
  const { parameters, last_operation, context, ...rest } = binding;
  return attached && last_operation !== undefined ? { ...rest, last_operation } : rest;
}
