import { randomUUID } from 'node:crypto';
import type { Answer } from '../../base/answer.ts';
import { conflict } from '../answers.ts';
import type { Binding, Instance, Resource, Subaccount } from '../state/store.ts';

/**
 * Beside each resource that a client creates, a copy of the same name of another cluster in the same subaccount. Clients see copies in
 * lists and by ID; the store, with which tests compare, has none. A request that changes one is a violation.
 */
export interface ForeignCopies {
  instances(owner: Subaccount): readonly Instance[];
  bindings(owner: Subaccount): readonly Binding[];
  placeInstance(owner: Subaccount, instance: Instance): void;
  placeBinding(owner: Subaccount, binding: Binding): void;
  /** The answer to a request that would change a copy; undefined: the ID is that of none. */
  refuse(doing: string, id: string): Answer | undefined;
  violations(): string[];
  clear(): void;
}

/** @param isOn false: there are none */
export function createForeignCopies(isOn: boolean): ForeignCopies {
  const instances = new Map<Subaccount, Instance[]>();
  const bindings = new Map<Subaccount, Binding[]>();
  const ids = new Set<string>();
  let violations: string[] = [];
  const place = <T extends Resource>(copies: Map<Subaccount, T[]>, owner: Subaccount, resource: T) => {
    if (!isOn) return;
    const labels = { ...resource.labels, _clusterid: ['cluster-of-another'] };
    const copy: T = { ...resource, id: randomUUID(), labels, ready: true };
    ids.add(copy.id);
    copies.set(owner, [...(copies.get(owner) ?? []), copy]);
  };
  return {
    instances: (owner) => instances.get(owner) ?? [],
    bindings: (owner) => bindings.get(owner) ?? [],
    placeInstance: (owner, instance) => {
      const context = { ...instance.context, clusterid: 'cluster-of-another' };
      place(instances, owner, { ...instance, context, usable: true });
    },
    placeBinding: (owner, binding) => place(bindings, owner, binding),
    refuse: (doing, id) => {
      if (!ids.has(id)) return undefined;
      violations.push(`${doing} ${id} of another cluster`);
      return conflict('the resource belongs to another cluster');
    },
    violations: () => violations,
    clear: () => {
      for (const each of [instances, bindings, ids]) each.clear();
      violations = [];
    },
  };
}
