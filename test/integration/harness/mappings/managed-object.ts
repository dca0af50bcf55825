import { expect } from '@jest/globals';
import type { Condition } from '../../../../internal/framework/kube/object/condition.ts';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import { events, type ResourceType } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../../internal/framework/managed/resource/managed.ts';
import { eventually } from '../../../environment/eventually.ts';
import type { Objects } from '../../../environment/objects.ts';
import { uniqueName } from '../control-planes/control-planes.ts';

export interface KubeEvent extends KubeObject {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
}

/** A managed resource with the actions of its users. */
export interface ManagedObject<R extends Managed> {
  readonly name: string;
  /** Absent for a cluster-scoped one. */
  readonly home?: string | undefined;
  get(): Promise<R>;
  find(): Promise<R | undefined>;
  patch(patch: unknown): Promise<R>;
  /** Null takes an annotation away. */
  annotate(annotations: Readonly<Record<string, string | null>>): Promise<R>;
  /** Requests a reconcile, as users do, and returns the resource after it. */
  reconcile(): Promise<R>;
  delete(propagation?: 'Background' | 'Foreground'): Promise<void>;
  condition(type: 'Ready' | 'Synced'): Promise<Condition | undefined>;
  /** Waits until the condition has this reason, and returns it. */
  untilReason(type: 'Ready' | 'Synced', reason: string, timeoutMs?: number): Promise<Condition>;
  /** Waits for Ready=True and Synced=True. */
  untilReady(timeoutMs?: number): Promise<R>;
  untilGone(timeoutMs?: number): Promise<void>;
  events(): Promise<KubeEvent[]>;
  /** Waits for an event with this reason, and returns all that have it. */
  untilEvent(reason: string): Promise<KubeEvent[]>;
  /** Removes it including its finalizers, for what a failed test leaves behind. */
  forget(): Promise<void>;
}

export function managedObject<R extends Managed>(
  objects: Objects,
  type: ResourceType<R>,
  name: string,
  home?: string,
): ManagedObject<R> {
  const key = home === undefined ? { name } : { name, namespace: home };
  const self: ManagedObject<R> = {
    name,
    home,
    get: () => objects.get(type, key),
    find: () => objects.find(type, key),
    patch: (patch) => objects.patch(type, key, patch),
    annotate: (annotations) => self.patch({ metadata: { annotations } }),
    reconcile: async () => {
      const token = uniqueName('request');
      await self.annotate({ 'crossplane.io/reconcile-requested-at': token });
      return eventually(async () => {
        const resource = await self.get();
        expect(resource.status?.lastHandledReconcileAt).toBe(token);
        return resource;
      });
    },
    delete: (propagation) => objects.delete(type, key, propagation),
    condition: async (type) => (await self.get()).status?.conditions?.find((c) => c.type === type),
    untilReason: (type, reason, timeoutMs) =>
      eventually(
        async () => {
          const condition = await self.condition(type);
          expect(condition).toMatchObject({ reason });
          return condition as Condition;
        },
        { timeoutMs },
      ),
    untilReady: (timeoutMs) =>
      eventually(
        async () => {
          const resource = await self.get();
          const statuses = resource.status?.conditions?.map(({ type, status }) => `${type}=${status}`);
          expect(statuses).toEqual(expect.arrayContaining(['Synced=True', 'Ready=True']));
          return resource;
        },
        { timeoutMs },
      ),
    untilGone: (timeoutMs) =>
      eventually(async () => expect(await self.find()).toBeUndefined(), { timeoutMs }),
    // The events of all cluster-scoped resources of a test run are in one namespace.
    events: () =>
      objects.list<KubeEvent>(events, home ?? 'default', {
        fieldSelector: `involvedObject.kind=${type.kind},involvedObject.name=${name}`,
      }),
    untilEvent: (reason) =>
      eventually(async () => {
        const found = (await self.events()).filter((event) => event.reason === reason);
        expect(found).not.toEqual([]);
        return found;
      }),
    forget: async () => {
      if ((await self.find()) === undefined) return;
      await self.patch({ metadata: { finalizers: null } });
      await self.delete().catch(() => undefined);
    },
  };
  return self;
}
