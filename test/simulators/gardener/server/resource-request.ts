import type { ResourceType } from '../../../../internal/framework/kube/object/resource-type.ts';

/** What a path of the API names. */
export interface ResourceRequest {
  readonly type: ResourceType;
  readonly namespace?: string;
  /** Absent: a collection. */
  readonly name?: string;
  readonly subresource?: string;
}

const PATH =
  /^\/(?:api\/(?<core>v1)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<subresource>[^/]+))?)?$/;

/** Undefined if the path names nothing that is served. */
export function parsePath(path: string, kinds: readonly ResourceType[]): ResourceRequest | undefined {
  const groups = PATH.exec(path)?.groups;
  if (groups === undefined) return undefined;
  const { core, group = '', version = core, plural } = groups;
  const type = kinds.find(
    (kind) => kind.group === group && kind.version === version && kind.plural === plural,
  );
  if (type === undefined || (groups.namespace !== undefined) !== type.namespaced)
    return allNamespaces(groups, type);
  const parts = { namespace: groups.namespace, name: groups.name, subresource: groups.subresource };
  const decoded = Object.entries(parts).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, decodeURIComponent(value)] as const],
  );
  return { type, ...Object.fromEntries(decoded) };
}

/** A list of a namespaced kind names no namespace. */
function allNamespaces(
  { name, namespace }: { readonly [group: string]: string | undefined },
  type: ResourceType | undefined,
): ResourceRequest | undefined {
  if (type === undefined || name !== undefined || namespace !== undefined) return undefined;
  return { type };
}

/** The resources of a group version as discovery lists them; undefined if it has none. */
export function discovered(path: string, kinds: readonly ResourceType[]): object | undefined {
  const [, core, group = '', version = core] = /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))$/.exec(path) ?? [];
  const served = kinds.filter((kind) => kind.group === group && kind.version === version);
  if (version === undefined || served.length === 0) return undefined;
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: served.flatMap(({ plural, kind, namespaced }) => {
      const subresources = plural === 'shoots' ? ['', '/status', '/adminkubeconfig'] : [''];
      return subresources.map((subresource) => ({
        ...{ name: `${plural}${subresource}`, singularName: kind.toLowerCase(), namespaced, kind },
        verbs: subresource === '/adminkubeconfig' ? ['create'] : verbs,
      }));
    }),
  };
}
