import type { JsonPatchOperation } from '../../../../internal/framework/kube/apply/patches.ts';
import type { KubeClient, WatchOptions } from '../../../../internal/framework/kube/client/client.ts';
import type { KubeObject, ObjectKey } from '../../../../internal/framework/kube/object/object.ts';
import { apiVersionOf } from '../../../../internal/framework/kube/object/resource-type.ts';
import { type Answer, json } from '../../base/answer.ts';
import type { ResourceRequest } from './resource-request.ts';

/** An HTTP request for a resource. */
export interface ServedRequest extends ResourceRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  /** Whether only metadata is asked for. */
  readonly metadataOnly: boolean;
  /** As received; empty: none. */
  readonly body: string;
}

/** Serves one request other than a watch. @throws KubeApiError, as the client does */
export async function serveResource(client: KubeClient, request: ServedRequest): Promise<Answer> {
  const { type, method, query, subresource, metadataOnly } = request;
  const dryRun = query.get('dryRun') === 'All';
  const body = request.body === '' ? {} : JSON.parse(request.body);
  if (request.name === undefined) {
    if (method === 'POST')
      return json(201, await client.create(type, inNamespace(body, request), { dryRun }));
    return json(200, await listed(client, request));
  }
  const key: ObjectKey = {
    name: request.name,
    ...(request.namespace === undefined ? {} : { namespace: request.namespace }),
  };
  switch (method) {
    case 'GET':
      return json(200, await (metadataOnly ? client.getMetadata(type, key) : client.get(type, key)));
    case 'POST':
      return json(201, await client.createSubresource(type, key, subresource ?? '', body));
    case 'PUT': {
      const update = subresource === 'status' ? client.updateStatus : client.update;
      return json(200, await update(type, inNamespace(body, request), { dryRun }));
    }
    case 'PATCH':
      return json(200, await patched(client, request, key, body));
    case 'DELETE':
      await client.delete(type, key, deleteOptions(body));
      return json(200, { kind: 'Status', apiVersion: 'v1', status: 'Success' });
    default:
      return json(405, {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'MethodNotAllowed',
        code: 405,
      });
  }
}

function patched(
  client: KubeClient,
  request: ServedRequest,
  key: ObjectKey,
  body: unknown,
): Promise<KubeObject> {
  const { type, query, contentType } = request;
  const write = {
    dryRun: query.get('dryRun') === 'All',
    ...(request.subresource === 'status' ? { subresource: 'status' as const } : {}),
  };
  if (contentType.startsWith('application/apply-patch')) {
    const fieldManager = query.get('fieldManager') ?? '';
    const force = query.get('force') === 'true';
    return client.apply(type, inNamespace(body as KubeObject, request), { ...write, fieldManager, force });
  }
  if (contentType.startsWith('application/json-patch'))
    return client.jsonPatch(type, key, body as JsonPatchOperation[], { dryRun: write.dryRun });
  return client.mergePatch(type, key, body, write);
}

/** The namespace of the path holds where the object has none. */
function inNamespace(object: KubeObject, { namespace, name }: ResourceRequest): KubeObject {
  const metadata = {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  return { ...object, metadata: { ...metadata, ...object.metadata } };
}

function deleteOptions(body: unknown): Parameters<KubeClient['delete']>[2] {
  const { propagationPolicy, preconditions } = body as NonNullable<Parameters<KubeClient['delete']>[2]>;
  return {
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
}

async function listed(client: KubeClient, request: ServedRequest): Promise<object> {
  const { type, query, metadataOnly } = request;
  const limit = query.get('limit');
  const token = query.get('continue');
  const options = {
    ...selectionOf(request),
    ...(limit === null ? { limit: 0 } : { limit: Number(limit) }),
    ...(token === null ? {} : { continue: token }),
  };
  const page = await (metadataOnly ? client.listMetadata(type, options) : client.list(type, options));
  const metadata = { resourceVersion: page.resourceVersion, continue: page.continue };
  return { apiVersion: apiVersionOf(type), kind: `${type.kind}List`, metadata, items: page.items };
}

/** What a list or a watch asks for. */
function selectionOf({ namespace, query }: ServedRequest): WatchOptions {
  const [labelSelector, fieldSelector] = [query.get('labelSelector'), query.get('fieldSelector')];
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === null ? {} : { labelSelector }),
    ...(fieldSelector === null ? {} : { fieldSelector }),
  };
}

/** The lines of a watch. */
export async function* watchLines(
  client: KubeClient,
  request: ServedRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { type, query, metadataOnly } = request;
  const [resourceVersion, timeout] = [query.get('resourceVersion'), query.get('timeoutSeconds')];
  const options = {
    ...selectionOf(request),
    signal,
    ...(resourceVersion === null ? {} : { resourceVersion }),
    ...(timeout === null ? {} : { timeoutSeconds: Number(timeout) }),
  };
  const events = metadataOnly ? client.watchMetadata(type, options) : client.watch(type, options);
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}
