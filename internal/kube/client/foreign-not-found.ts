import { valueAt } from '../../base/json/json-field.ts';
import type { ApiStatus } from '../errors/api-status.ts';
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
  /** The body of a GET. @throws if there is no successful response */
  readonly read: (path: string) => Promise<string>;
}

/** What an API server responds for a group or version that it does not serve; so does any server written in Go. */
const PAGE_NOT_FOUND = '404 page not found';

/**
 * Whether a 404 proves nothing about the object or kind of the request: it has no Status, as those of proxies and load
 * balancers, or is about another object. An API server responds without a Status only for a group and version that it does not
 * serve; then its discovery must agree.
 */
export async function isForeignNotFound(response: NotFoundResponse): Promise<boolean> {
  const { path, target, status, body, read } = response;
  if (status !== undefined) return status.reason !== 'NotFound' || isAboutAnother(status, target);
  const groupVersion = /^\/apis\/([^/?]+\/[^/?]+)/.exec(path)?.[1];
  if (groupVersion === undefined || body.trim() !== PAGE_NOT_FOUND) return true;
  try {
    return servedGroupVersions(await read('/apis'))?.includes(groupVersion) ?? true;
  } catch {
    return true;
  }
}

/** Admission may respond with a 404 for an object that the object of the request names. */
function isAboutAnother({ details }: ApiStatus, target: RequestTarget | undefined): boolean {
  if (target === undefined || details?.name === undefined) return false;
  if (details.name !== target.name) return true;
  const kind = details.kind?.toLowerCase().split('/')[0];
  return kind !== undefined && kind !== target.plural && kind !== target.kind.toLowerCase();
}

/** Of an APIGroupList; undefined if it is none. */
function servedGroupVersions(body: string): readonly unknown[] | undefined {
  const list: unknown = JSON.parse(body);
  const groups = valueAt(list, ['groups']);
  if (valueAt(list, ['kind']) !== 'APIGroupList' || !Array.isArray(groups)) return undefined;
  return groups.flatMap((group) => {
    const versions = valueAt(group, ['versions']);
    return Array.isArray(versions) ? versions.map((version) => valueAt(version, ['groupVersion'])) : [];
  });
}
