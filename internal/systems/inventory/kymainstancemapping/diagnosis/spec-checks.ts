/** What in the spec of a mapping keeps it from being reconciled, apart from references to input objects. */
import { messageOf } from '../../../../framework/base/index.ts';
import { isNotFound, type KubeClient, keyString, notFoundText } from '../../../../framework/kube/index.ts';

import {
  annotationOf,
  annotationPaused,
  resolvePolicies,
  usedConfigOf,
} from '../../../../framework/managed/index.ts';
import type { Check } from '../../../../framework/module/diagnosis.ts';
import { hanaConfigKinds } from '../../config/provider-configs.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { remedies } from './remedies.ts';

/** Yields nothing if all is in order. */
export async function* specChecks(
  client: KubeClient,
  resource: KymaInstanceMapping,
  signal: AbortSignal,
): AsyncGenerator<Check> {
  const cluster = client.clusterName;
  if (annotationOf(resource, annotationPaused) === 'true')
    yield {
      name: 'pause',
      status: 'failed',
      cluster,
      detail: 'the resource is paused',
      ...remedies.pausedByAnnotation(resource),
    };
  const policies = resolvePolicies(resource, { enabled: true });
  const problem = policies.problem ?? (policies.paused ? 'no policy pauses the resource' : undefined);
  if (problem !== undefined)
    yield {
      name: 'policies',
      status: 'failed',
      cluster,
      detail: problem,
      ...remedies.managementPolicies(resource),
    };
  const missing = await missingConfig(client, resource, signal);
  if (missing !== undefined)
    yield {
      name: 'ProviderConfig',
      status: 'failed',
      cluster,
      ...missing,
      ...remedies.providerConfig(resource),
    };
}

async function missingConfig(
  client: KubeClient,
  resource: KymaInstanceMapping,
  signal: AbortSignal,
): Promise<Pick<Check, 'detail' | 'object'> | undefined> {
  const scope = resource.metadata.namespace === undefined ? 'cluster' : 'namespaced';
  try {
    const { isDefault, type, key } = usedConfigOf(resource, hanaConfigKinds[scope]);
    if (isDefault) return undefined;
    const object = `${type.kind} ${keyString(key)}`;
    try {
      await client.get(type, key, { signal });
      return undefined;
    } catch (error) {
      return { object, detail: isNotFound(error) ? notFoundText(keyString(key)) : messageOf(error) };
    }
  } catch (error) {
    return { detail: messageOf(error) };
  }
}
