import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ObservedRequest } from '../../internal/framework/http/transport/send-request.ts';
import type { DeleteOptions } from '../../internal/framework/kube/client/client.ts';
import type { ObservedWrite } from '../../internal/framework/kube/fakes/memory-cluster.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../internal/framework/kube/object/resource-type.ts';
import { kubeRequestOf } from './kube-request.ts';
import { CAMPAIGN_NETWORK, originOfCall } from './origin.ts';
import { reportViolation } from './violations.ts';

/** A writing request to an API server, in memory or real. */
export interface KubeWrite {
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deletecollection';
  readonly type: ResourceType;
  readonly subresource?: string | undefined;
  readonly body?: unknown;
  readonly preconditions?: DeleteOptions['preconditions'] | undefined;
  readonly fieldManager?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Undefined: there is none, or it is not known. */
  readonly live?: KubeObject | undefined;
}

/**
 * Why a write could hit the object of another: it names no version or identity. The rule:
 *
 * - an update, a patch and a deletion name a uid or a resourceVersion of the object, a JSON patch tests one of them
 * - an apply needs that only for an object to which its field manager has never applied anything: the fields that a manager
 *   has applied make it an object that the system owns by name
 * - events are exempt: their names are unique. So are dry runs, which write nothing
 */
export function missingPrecondition(write: KubeWrite): string | undefined {
  const { verb, type, body, preconditions, dryRun = false } = write;
  const target = type.plural;
  if (verb === 'create' || dryRun || type.plural === 'events') return undefined;
  if (verb === 'deletecollection') return `deletes a collection of ${target}`;
  if (verb === 'delete')
    return namesVersion(preconditions) ? undefined : `deletes ${target} without a precondition`;
  if (verb === 'apply') return adopts(write) ? `applies to ${target} that it never applied` : undefined;
  const names = Array.isArray(body) ? body.some(testsVersion) : namesVersion(metadataOf(body));
  const part = write.subresource === undefined ? '' : ` ${write.subresource}`;
  return names
    ? undefined
    : `${verb === 'patch' ? 'patches' : 'updates'} ${target}${part} without a precondition`;
}

function adopts({ live, body, fieldManager, subresource }: KubeWrite): boolean {
  if (live === undefined || namesVersion(metadataOf(body))) return false;
  const managers = (live.metadata.managedFields ?? []) as readonly {
    readonly manager?: string;
    readonly operation?: string;
  }[];
  // The status of an object whose spec is checked needs no managers of its own.
  if (subresource !== undefined) return false;
  return !managers.some(({ manager, operation }) => manager === fieldManager && operation === 'Apply');
}

interface Versions {
  readonly uid?: unknown;
  readonly resourceVersion?: unknown;
}

const namesVersion = ({ uid, resourceVersion }: Versions = {}): boolean =>
  typeof uid === 'string' || typeof resourceVersion === 'string';

const metadataOf = (body: unknown): Versions | undefined =>
  (body as { readonly metadata?: Versions } | null | undefined)?.metadata;

/** A patch of the resourceVersion is a precondition as well. */
const testsVersion = ({ op, path }: { readonly op?: unknown; readonly path?: unknown }): boolean =>
  (op === 'test' && path === '/metadata/uid') ||
  ((op === 'test' || op === 'replace') && path === '/metadata/resourceVersion');

/** Checks the writes that the program sends to API servers in memory; returns how to stop. */
export function guardMemoryWrites(channel: string): () => void {
  const onWrite = (message: unknown) => {
    const write = message as ObservedWrite;
    if (write.verb === 'discover' || write.verb === 'get' || write.verb === 'list' || write.verb === 'watch')
      return;
    const { verb, options } = write;
    const what = write.isPlaced
      ? `${verb} hits a foreign copy of ${write.type.plural}`
      : missingPrecondition({ ...write, verb, ...options });
    if (what === undefined) return;
    const origin = originOfCall(CAMPAIGN_NETWORK);
    const details = `${write.key.namespace ?? ''}/${write.key.name} on ${write.clusterName}`;
    if (origin?.isProgram) reportViolation({ guard: 'foreign-objects', where: origin.where, what, details });
  };
  subscribe(channel, onWrite);
  return () => {
    unsubscribe(channel, onWrite);
  };
}

/** Checks the writes that the program sends to real API servers from this process; returns how to stop. */
export function guardSentWrites(channel: string): () => void {
  const onRequest = (message: unknown) => {
    const write = writeOf(message as ObservedRequest);
    const what = write && missingPrecondition(write);
    if (what === undefined) return;
    const origin = originOfCall(CAMPAIGN_NETWORK);
    if (origin?.isProgram) reportViolation({ guard: 'foreign-objects', where: origin.where, what });
  };
  subscribe(channel, onRequest);
  return () => {
    unsubscribe(channel, onRequest);
  };
}

/** Undefined: it writes no object, or it is an apply: what is stored is not known here. */
export function writeOf({ method, url, headers, body = '{}' }: ObservedRequest): KubeWrite | undefined {
  const contentType = headers['content-type'] ?? '';
  if (method === 'GET' || method === 'POST' || contentType.includes('apply-patch')) return undefined;
  const target = kubeRequestOf({ url });
  if (target === undefined) return undefined;
  const { type, name, subresource } = target;
  const dryRun = url.search.includes('dryRun=All');
  const content = JSON.parse(body) as DeleteOptions;
  if (method === 'DELETE')
    return name === undefined
      ? { verb: 'deletecollection', type, dryRun }
      : { verb: 'delete', type, dryRun, preconditions: content.preconditions };
  const verb = method === 'PUT' ? 'update' : 'patch';
  return { verb, type, dryRun, body: content, ...(subresource === undefined ? {} : { subresource }) };
}
