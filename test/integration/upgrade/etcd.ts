/** Reads and writes objects past the API server, as an upgrade finds them: no defaults, no validation, uid included. */
import { join } from 'node:path';
import { type ControlPlaneAccess, FILES } from '../../../hack/control-planes/access/access.ts';
import { httpJson } from '../../../hack/control-planes/access/http-json.ts';
import type { Crd } from '../../environment/install-crds.ts';
import type { StoredObject } from '../../upgrade/stored-state.ts';

/** All stored objects of the groups of these CRDs. */
export async function storedObjects(
  plane: ControlPlaneAccess,
  crds: readonly Crd[],
): Promise<StoredObject[]> {
  const prefixes = crds.map(({ spec: { group, names } }) => `/registry/${group}/${names.plural}/`);
  const objects: StoredObject[] = [];
  for await (const { key, value } of plane.etcdEntries()) {
    if (prefixes.some((prefix) => key.startsWith(prefix))) objects.push(JSON.parse(value.toString()));
  }
  return objects;
}

export async function putStored(
  plane: ControlPlaneAccess,
  crds: readonly Crd[],
  object: StoredObject,
): Promise<void> {
  const { name, namespace } = object.metadata;
  const { group, plural } = typeOf(crds, object);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const key = ['/registry', group, plural, ...(namespace === undefined ? [] : [namespace]), name].join('/');
  const { status } = await httpJson({
    url: 'http://etcd/v3/kv/put',
    method: 'POST',
    socketPath: join(plane.directory, FILES.etcdSocket),
    body: { key: base64(key), value: base64(JSON.stringify(object)) },
  });
  if (status !== 200) throw new Error(`cannot store ${key}: etcd answered ${status}`);
}

/** How the API addresses the object. */
export function typeOf(crds: readonly Crd[], { apiVersion = '', kind = '' }: StoredObject) {
  const [group = '', version = ''] = apiVersion.split('/');
  const crd = crds.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  if (crd === undefined) throw new Error(`there is no CRD of ${kind} in ${group}`);
  return { group, version, kind, plural: crd.spec.names.plural };
}
