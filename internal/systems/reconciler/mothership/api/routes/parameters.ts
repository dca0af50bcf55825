import { parseDuration } from '../../../../../framework/base/index.ts';

import { CLUSTER_STATUSES, type ClusterStatus, isClusterStatus } from '../../model/cluster.ts';
import { CLUSTER_GROUPS, type ClusterGroup } from '../../model/inventory.ts';
import { type ApiRequest, badRequest } from '../api-request.ts';

/** A parameter of the path. @throws ApiError 400 if it is empty or cannot be stored */
export function required(request: ApiRequest, name: string): string {
  const value = request.parameter(name);
  if (value === undefined) throw badRequest(`${name}: it is missing`);
  if (value.includes('\0')) throw badRequest(`${name}: it has a NUL character`);
  return value;
}

const MAX_VERSION = 2 ** 53 - 1;

/** @throws ApiError 400 */
export function version(request: ApiRequest, name: string): number {
  const text = required(request, name);
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= MAX_VERSION)) throw badRequest(`${name}: want a whole number`);
  return value;
}

/** A duration as Go writes it, in ms. @throws ApiError 400 */
export function duration(request: ApiRequest, name: string, fallback: number): number {
  const text = request.parameter(name);
  if (text === undefined) return fallback;
  const ms = parseDuration(text);
  if (ms === undefined || !(ms >= 0)) throw badRequest(`${name}: want a duration such as 168h or 1h30m`);
  return ms;
}

/** RFC 3339. @throws ApiError 400 */
export function time(request: ApiRequest, name: string): Date | undefined {
  const text = request.parameter(name);
  if (text === undefined) return undefined;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i.test(text);
  const value = new Date(isTime ? text : Number.NaN);
  if (Number.isNaN(value.getTime())) throw badRequest(`${name}: want a time such as 2006-01-02T15:04:05Z`);
  return value;
}

/** @throws ApiError 400 */
export function statuses(request: ApiRequest, name: string): ClusterStatus[] {
  return request.parameters(name).map((text) => {
    if (isClusterStatus(text)) return text;
    throw badRequest(`${name}: want one of ${CLUSTER_STATUSES.join(', ')}`);
  });
}

/** Entries of a list, without a parameter and with one. */
export interface ListBounds {
  readonly fallback: number;
  readonly max: number;
}

/** Anything but a whole number above 0 is ignored, as the Go program does; there a list without a limit has no end. */
export function limit(request: ApiRequest, name: string, { fallback, max }: ListBounds): number {
  const text = request.parameter(name) ?? '';
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return value > 0 ? Math.min(value, max) : fallback;
}

const DEFAULT_PAGE = 500;
const MAX_PAGE = 1000;

/** Entries of a page. @throws ApiError 400 */
export function pageSize(request: ApiRequest): number {
  const text = request.parameter('limit');
  if (text === undefined) return DEFAULT_PAGE;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > MAX_PAGE) throw badRequest(`limit: want a whole number from 1 to ${MAX_PAGE}`);
  return value;
}

/** The page begins after so many entries, in the order of what needs attention. @throws ApiError 400 */
export function pageOffset(request: ApiRequest): number | undefined {
  const text = request.parameter('offset');
  if (text === undefined) return undefined;
  if (!/^\d{1,7}$/.test(text)) throw badRequest('offset: want a whole number');
  return Number(text);
}

/** @throws ApiError 400 */
export function clusterGroup(request: ApiRequest): ClusterGroup | undefined {
  const text = request.parameter('group');
  if (text === undefined) return undefined;
  const group = CLUSTER_GROUPS.find((each) => each === text);
  if (group === undefined) throw badRequest(`group: want one of ${CLUSTER_GROUPS.join(', ')}`);
  return group;
}
