/**
 * A loop around the plain requests for ServiceInstances and ServiceBindings: it creates what two watches report, and deletes
 * what they report as deleted, an instance after its bindings. It handles no change or restart, and any failure ends it.
 */
import type { ServiceBinding } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { ServiceInstance } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { WatchLine } from './plain-client.ts';
import { FINALIZER, type PlainService } from './plain-service-objects.ts';
import { createPlainServices, type ServiceEndpoints } from './plain-services.ts';
import { startWorkers } from './plain-workers.ts';

export interface OperateOptions {
  readonly endpoints: ServiceEndpoints;
  readonly namespace: string;
  /** Objects worked on at the same time. */
  readonly workers: number;
}

export function startOperator({ endpoints, namespace, workers }: OperateOptions): void {
  const services = createPlainServices(endpoints);
  const work = startWorkers(workers);
  const instances = new Map<string, ServiceInstance>();
  /** Names of the bindings that exist, by their instance. */
  const bindings = new Map<string, Set<string>>();
  /** Deleted instances that have bindings. */
  const waiting = new Map<string, ServiceInstance>();
  const created = new Set<string>();
  const deleted = new Set<string>();
  /** A watch that is opened again starts with all objects. */
  const isNew = ({ metadata: { uid = '' } }: PlainService) => {
    if (created.has(uid)) return false;
    created.add(uid);
    return true;
  };

  const isDeletedNow = ({ metadata: { uid = '', deletionTimestamp, finalizers = [] } }: PlainService) => {
    if (deletionTimestamp === undefined || !finalizers.includes(FINALIZER) || deleted.has(uid)) return false;
    deleted.add(uid);
    return true;
  };
  const onInstance = ({ type, object }: WatchLine<ServiceInstance>) => {
    const { name } = object.metadata;
    if (type === 'DELETED') return void instances.delete(name);
    instances.set(name, object);
    if (isNew(object)) return work(() => services.createInstance(object));
    if (!isDeletedNow(object)) return;
    if (bindings.get(name)?.size) return void waiting.set(name, object);
    work(() => services.deleteInstance(object));
  };
  const onBinding = ({ type, object }: WatchLine<ServiceBinding>) => {
    const { name } = object.metadata;
    const { serviceInstanceName: of } = object.spec;
    const siblings = bindings.get(of) ?? new Set();
    bindings.set(of, siblings);
    if (type === 'DELETED') return;
    siblings.add(name);
    if (isNew(object)) {
      const instanceID = instances.get(of)?.status?.instanceID ?? '';
      return work(() => services.createBinding(object, instanceID));
    }
    if (!isDeletedNow(object)) return;
    work(async () => {
      await services.deleteBinding(object);
      siblings.delete(name);
      const instance = siblings.size === 0 ? waiting.get(of) : undefined;
      if (instance !== undefined && waiting.delete(of)) await services.deleteInstance(instance);
    });
  };
  const base = `/apis/services.cloud.sap.com/v1/namespaces/${namespace}`;
  void services.management.watch<ServiceInstance>(`${base}/serviceinstances?watch=true`, onInstance);
  void services.management.watch<ServiceBinding>(`${base}/servicebindings?watch=true`, onBinding);
}
