import { valueAt } from '../../base/json/json-value.ts';
import { type ApiStatus, parseApiStatus } from '../errors/api-status.ts';
import type { ResourceType } from '../object/resource-type.ts';

/** The object of a request that does not create it. */
export interface RequestTarget extends Pick<ResourceType, 'plural' | 'kind'> {
  readonly name: string;
}

export interface NotFoundResponse {
  /** Path of the request. */
  readonly path: string;
  readonly target: RequestTarget | undefined;
  readonly status: ApiStatus | undefined;
  readonly body: string;
  readonly read: (path: string) => Promise<{ readonly status: number; readonly body: string }>;
}

/** What an API server responds for a kind, a group or a version that it does not serve; so does any server written in Go. */
const PAGE_NOT_FOUND = '404 page not found';

/**
 * Whether a 404 proves nothing about the object or kind of the request: it has no Status, as those of proxies and load
 * balancers, or is about another object. An API server responds without a Status only for what it does not serve; then its discovery
 * must agree.
 */
export async function isForeignNotFound(response: NotFoundResponse): Promise<boolean> {
  const { path, target, status, body, read } = response;
  if (status !== undefined) return status.reason !== 'NotFound' || isAboutAnother(status, target);
  const [, groupVersion, plural] =
    /^\/apis\/([^/?]+\/[^/?]+)(?:\/(?:namespaces\/[^/?]+\/)?([^/?]+))?/.exec(path) ?? [];
  if (groupVersion === undefined || body.trim() !== PAGE_NOT_FOUND) return true;
  const discover = async (path: string, namesIn: (list: unknown) => readonly unknown[] | undefined) => {
    const { status, body } = await read(path);
    // An API server responds, with which this user may not discover anything.
    if (status === 403 && parseApiStatus(body)?.reason === 'Forbidden') return [];
    return status === 200 ? namesIn(JSON.parse(body)) : undefined;
  };
  try {
    const resources = plural && (await discover(`/apis/${groupVersion}`, servedResources));
    if (resources) return resources.includes(plural);
    return (await discover('/apis', servedGroupVersions))?.includes(groupVersion) ?? true;
  } catch {
    return true;
  }
}

/** Of an APIResourceList; undefined if it is none. */
function servedResources(list: unknown): readonly unknown[] | undefined {
  const resources = valueAt(list, ['resources']);
  if (valueAt(list, ['kind']) !== 'APIResourceList' || !Array.isArray(resources)) return undefined;
  return resources.map((resource) => valueAt(resource, ['name']));
}

/** Admission may respond with a 404 for an object that the object of the request names. */
function isAboutAnother({ details }: ApiStatus, target: RequestTarget | undefined): boolean {
  if (target === undefined || details?.name === undefined) return false;
  if (details.name !== target.name) return true;
  const kind = details.kind?.toLowerCase().split('/')[0];
  return kind !== undefined && kind !== target.plural && kind !== target.kind.toLowerCase();
}

/** Of an APIGroupList; undefined if it is none. */
function servedGroupVersions(list: unknown): readonly unknown[] | undefined {
  const groups = valueAt(list, ['groups']);
  if (valueAt(list, ['kind']) !== 'APIGroupList' || !Array.isArray(groups)) return undefined;
  return groups.flatMap((group) => {
    const versions = valueAt(group, ['versions']);
    return Array.isArray(versions) ? versions.map((version) => valueAt(version, ['groupVersion'])) : [];
  });
}
