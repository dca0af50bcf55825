import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import type { KubeObject, ObjectMeta } from '../../../../internal/framework/kube/object/object.ts';
import {
  apiVersionOf,
  configMaps,
  leases,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import { forEach } from '../for-each.ts';
import type { BtpPlane } from './btp-plane.ts';

/** Bindings before their instances. A Lease that is left would delay the next operator until it expires. */
const types: readonly ResourceType[] = [serviceBindings, serviceInstances, leases, secrets, configMaps];

/** Metadata only: parameters of test objects may be large. */
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/**
 * Removes what a test file has left, without regard to finalizers, and restores what it has changed in the release
 * namespace. The operator must have stopped. Namespaces stay: the deletion of one takes the control plane 100 ms of CPU time.
 */
export async function resetBtpPlane(
  { request }: Pick<ControlPlaneAccess, 'request'>,
  kept: BtpPlane['kept'],
): Promise<void> {
  const send = async (path: string, options: Parameters<typeof request>[1]) => {
    const { status, body } = await request(path, options);
    if (status >= 300 && status !== 404)
      throw new Error(`${options?.method} ${path}: ${status} ${JSON.stringify(body)}`);
    return { status, body };
  };
  const restore = async (type: ResourceType, object: KubeObject) => {
    const { metadata } = object;
    const cleared = { resourceVersion: undefined, uid: undefined, managedFields: undefined };
    const body = { ...object, metadata: { ...metadata, ...cleared } };
    const replaced = await send(pathOf(type, metadata), { method: 'PUT', body });
    if (replaced.status === 404) await send(collectionOf(type, metadata.namespace), { method: 'POST', body });
  };
  const remove = async (type: ResourceType, { finalizers, ...key }: ObjectMeta) => {
    if (finalizers !== undefined) {
      const contentType = 'application/merge-patch+json';
      await send(pathOf(type, key), {
        method: 'PATCH',
        contentType,
        body: { metadata: { finalizers: null } },
      });
    }
    await send(pathOf(type, key), { method: 'DELETE' });
  };
  for (const type of types) {
    const { body } = await send(collectionOf(type), { method: 'GET', accept: METADATA });
    // It has no items where there is no object.
    const { items } = body as { items: { metadata: ObjectMeta }[] | null };
    const found = (items ?? []).map(({ metadata }) => metadata);
    const original = kept.filter(({ kind }) => kind === type.kind);
    const isOriginal = ({ namespace, name }: ObjectMeta) =>
      original.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    const left = found.filter((each) => !each.namespace?.startsWith('kube-') && !isOriginal(each));
    await forEach(left, (each) => remove(type, each));
    const unchanged = new Set(found.map(({ uid, resourceVersion }) => `${uid} ${resourceVersion}`));
    const changed = original.filter(
      ({ metadata: { uid, resourceVersion } }) => !unchanged.has(`${uid} ${resourceVersion}`),
    );
    for (const object of changed) await restore(type, object);
  }
}

function collectionOf(type: ResourceType, namespace?: string): string {
  const root = `/${type.group === '' ? 'api' : 'apis'}/${apiVersionOf(type)}`;
  return namespace === undefined
    ? `${root}/${type.plural}`
    : `${root}/namespaces/${namespace}/${type.plural}`;
}

const pathOf = (type: ResourceType, { namespace, name }: Pick<ObjectMeta, 'namespace' | 'name'>): string =>
  `${collectionOf(type, namespace)}/${name}`;
