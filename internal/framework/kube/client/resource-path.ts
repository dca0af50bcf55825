import { ProviderError } from '../../base/errors/errors.ts';
import { type Attempt, sentence } from '../errors/errors.ts';
import type { ObjectKey } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';

/** The URL path of a type's group and version. */
export const groupVersionPath = ({ group, version }: Pick<ResourceType, 'group' | 'version'>): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** The URL path of all objects of a type, or of those of one namespace. */
export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
  return `${groupVersionPath(type)}${scope}/${type.plural}`;
}

/** The URL path of one object. */
export function objectPath(type: ResourceType, key: ObjectKey, subresource?: string): string {
  if (type.namespaced && key.namespace === undefined) throw new RangeError(`${type.kind} needs a namespace`);
  const path = `${collectionPath(type, key.namespace)}/${segment(key.name)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/** The path from `build`. @throws `terminal` for a name that is not valid in a path */
export function pathFor(attempt: Attempt, build: () => string): string {
  try {
    return build();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ProviderError('terminal', `${sentence(attempt)}: ${why}`);
  }
}

/** `?a=b&c=d` of the parameters that have a value, or nothing. */
export function queryString(
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** `secrets in namespace shop`, for messages about more than one object. */
export function collectionName(type: ResourceType, namespace: string | undefined): string {
  const resource = groupResource(type);
  if (!type.namespaced) return resource;
  return `${resource} in ${namespace === undefined ? 'all namespaces' : `namespace ${namespace}`}`;
}

/**
 * Names come from users. The API server decodes a path before it splits it, so an encoded slash would address another
 * resource, and an empty name the whole collection.
 */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new RangeError(`${JSON.stringify(name)} is not a name`);
  }
  return encodeURIComponent(name);
}
