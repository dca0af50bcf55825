import { KubeApiError } from '../../../internal/framework/kube/errors/errors.ts';
import { apiError } from '../../../internal/framework/kube/fakes/memory-client.ts';
import {
  type KubeObject,
  keyOf,
  keyString,
  type ObjectKey,
  type ResourceType,
  UnreachableError,
} from '../../../internal/framework/kube/index.ts';
import type { LinkOptions } from './network.ts';

const WRITES = new Set([
  'create',
  'update',
  'updateStatus',
  'mergePatch',
  'jsonPatch',
  'apply',
  'delete',
  'createSubresource',
]);
const REASONS: Readonly<Record<number, string>> = {
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** The connection to an API server. */
export const kubernetesLink = (name: string, onWrite?: LinkOptions['onWrite']): LinkOptions => ({
  name,
  lost: () =>
    new UnreachableError({ verb: 'reach', object: 'the object', clusterName: name }, 'connection reset'),
  refused: (status) => apiError(status, REASONS[status] ?? 'Fault', 'injected'),
  gateway: ({ status }) =>
    new KubeApiError(
      { verb: 'reach', object: 'the object', clusterName: name },
      { httpStatus: status, isForeign: status === 404 },
    ),
  writes: WRITES,
  hasRecords: true,
  subject: (_method, [type, given]) => {
    const { kind } = type as ResourceType;
    const key = Object.hasOwn(given as object, 'metadata')
      ? keyOf(given as KubeObject)
      : (given as ObjectKey);
    return `${kind} ${keyString(key)}`;
  },
  ...(onWrite === undefined ? {} : { onWrite }),
});
