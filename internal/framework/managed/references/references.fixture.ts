import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { asController } from '../../kube/object/ownership.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import { clusterWidgets, namespacedWidgets, type WidgetParts, widget } from '../fakes/managed-harness.ts';
import type { Reference, ReferencePolicy, Selector } from './reference.ts';
import { createReferenceResolver } from './reference-resolver.ts';

export interface Network extends KubeObject {
  status?: { id?: string };
}
export const networks: ResourceType<Network> = {
  group: namespacedWidgets.group,
  version: namespacedWidgets.version,
  kind: 'Network',
  plural: 'networks',
  namespaced: true,
};
export const extract = (network: Network) => network.status?.id;
const parent = { ...asController(widget(namespacedWidgets)), kind: 'Parent', uid: 'uid-parent' };
export const owned = { ownerReferences: [parent] };
export const Optional: ReferencePolicy = { resolution: 'Optional' };
export const Always: ReferencePolicy = { resolve: 'Always' };
export const tier = (value: string) => ({ matchLabels: { tier: value } });

export interface Given {
  readonly from?: WidgetParts;
  readonly fault?: Error;
}

/**
 * Networks of the referring object's namespace: `a` and `b` for the front, `c` of the same parent, `new` without a
 * value; and `a` of another namespace.
 */
export function setup({ from, fault }: Given = {}, type = networks) {
  const client = createMemoryClient({ clock: createFakeClock() });
  const seed = (
    name: string,
    labels: Record<string, string>,
    id?: string,
    more: Partial<Network['metadata']> = {},
  ) =>
    client.seed<Network>(type, {
      apiVersion: 'm.example.org/v1',
      kind: 'Network',
      metadata: { name, ...(type.namespaced ? { namespace: 'shop' } : {}), labels, ...more },
      ...(id === undefined ? {} : { status: { id } }),
    });
  seed('b', { tier: 'front' }, 'id-b');
  seed('a', { tier: 'front' }, 'id-a');
  seed('c', { tier: 'back' }, 'id-c', owned);
  seed('d', { tier: 'back' }, 'id-d');
  seed('new', { tier: 'new' });
  if (type.namespaced) seed('a', { tier: 'front' }, 'id-elsewhere', { namespace: 'elsewhere' });
  client.onRequest(() => {
    if (fault) throw fault;
  });
  const resource = widget(type.namespaced ? namespacedWidgets : clusterWidgets, from ?? {});
  const { signal } = new AbortController();
  const resolver = createReferenceResolver({ client, from: resource, signal });
  const to = { type, extract };
  const outcome = (work: Promise<unknown>) => work.catch((error: Error) => error.message);
  return {
    requests: client.requests,
    one: (value?: string, ref?: Reference, selector?: Selector) =>
      outcome(resolver.one({ value, ref, selector, to })),
    many: (values?: string[], refs?: Reference[], selector?: Selector) =>
      outcome(resolver.many({ values, refs, selector, to })),
  };
}

export const deleted = { metadata: { deletionTimestamp: '2024-01-01T00:00:00Z' } };
export const boom = new Error('boom');
export const noMatch = 'no resources matched selector';
export const noValue =
  'referenced field was empty (referenced resource may not yet be ready): Network shop/new';

export interface Case {
  readonly title: string;
  readonly reason: string;
  readonly given?: Given;
  readonly selector?: Selector;
  readonly want: unknown;
  /** Requests to the API server. */
  readonly asks?: number;
}
