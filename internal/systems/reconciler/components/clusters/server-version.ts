import { ProviderError } from '../../../../framework/base/errors/errors.ts';
import { parseBoundedJson } from '../../../../framework/base/json/bounded-json.ts';
import { valueAt } from '../../../../framework/base/json/json-field.ts';
import type { RequestSender } from '../../../../framework/kube/client/request-sender.ts';
import { isForbidden, isNotFound, sentence } from '../../../../framework/kube/errors/errors.ts';

const MAX_BYTES = 64 * 1024;
/** `v1.36.3`, `v1.31.1-eks-ce1d5eb`, `v1.30.5+k3s1` */
const VERSION = /^v?\d+\.\d[A-Za-z0-9.+_-]{0,100}$/;

/** The version that an API server states of itself; undefined if it does not. */
export async function readServerVersion(
  sender: RequestSender,
  signal: AbortSignal,
): Promise<string | undefined> {
  const call = { verb: 'get', object: 'the version of the API server' };
  const request = { ...call, method: 'GET', path: '/version', accept: 'application/json' } as const;
  let text: string;
  try {
    text = await sender.call({ ...request, maxBytes: MAX_BYTES, signal });
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
  try {
    const version = valueAt(parseBoundedJson(text, { maxLength: MAX_BYTES, maxDepth: 4 }), ['gitVersion']);
    return typeof version === 'string' && VERSION.test(version) ? version : undefined;
  } catch {
    throw new ProviderError('transient', `${sentence(sender.attempt(call))}: the response is not valid JSON`);
  }
}
