import type { Deps } from '../../base/deps.ts';
import { findCause, ProviderError, wrap } from '../../base/errors/errors.ts';
import { type Clock, sleep } from '../../base/time/clock.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isNotFound, KubeApiError } from '../../kube/errors/errors.ts';
import type { ObjectKey, Secret } from '../../kube/object/object.ts';
import { asController, assertControllable, controllerOf } from '../../kube/object/ownership.ts';
import { secrets } from '../../kube/object/resource-type.ts';
import { encodedData } from '../../kube/object/secret-data.ts';
import type { Managed } from '../resource/managed.ts';
import type { ConnectionPublisher } from './connection-publisher.ts';

export const connectionSecretType = 'connection.crossplane.io/v1alpha1';

const ATTEMPTS = 5;
const PAUSE_MS = 10;

export interface SecretPublisherOptions extends Pick<Deps, 'clock'> {
  readonly client: KubeClient;
}

/**
 * Publishes to the Secret of `spec.writeConnectionSecretToRef`, in the namespace of a namespaced resource. Keys are
 * added and overwritten, never removed, and only the given keys are compared: a client that knows only some keys
 * causes no write. A Secret with another controller is refused. The Secret is garbage-collected with its owner.
 */
export function createSecretPublisher({ client, clock }: SecretPublisherOptions): ConnectionPublisher {
  return {
    publish: async (resource, details, signal) => {
      const key = secretKeyOf(resource);
      if (key === undefined) return false;
      try {
        return await retried(clock, signal, () => apply(client, resource, key, encodedData(details), signal));
      } catch (error) {
        throw wrap(error, 'cannot create or update connection secret');
      }
    },
    unpublish: async () => undefined,
  };
}

function secretKeyOf(resource: Managed): ObjectKey | undefined {
  const ref = resource.spec.writeConnectionSecretToRef;
  if (ref === undefined) return undefined;
  const namespace = resource.metadata.namespace ?? ref.namespace;
  if (namespace === undefined) {
    throw new ProviderError('terminal', 'spec.writeConnectionSecretToRef names no namespace');
  }
  return { name: ref.name, namespace };
}

async function apply(
  client: KubeClient,
  resource: Managed,
  key: ObjectKey,
  data: Record<string, string>,
  signal: AbortSignal,
): Promise<boolean> {
  const owner = asController(resource);
  const found = await find(client, key, signal);
  if (found === undefined) {
    const ownerReferences = [owner];
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...key, ownerReferences } };
    await client.create(secrets, { ...secret, type: connectionSecretType, data }, { signal });
    return true;
  }
  const controller = controllerOf(found);
  assertOurs(found, resource);
  const same = Object.entries(data).every(([name, value]) => found.data?.[name] === value);
  if (same && controller !== undefined) return false;
  // With the version, a Secret that was replaced after the check is a conflict.
  const { resourceVersion, ownerReferences = [] } = found.metadata;
  const owners = controller === undefined ? { ownerReferences: [...ownerReferences, owner] } : {};
  await client.mergePatch(secrets, key, { metadata: { resourceVersion, ...owners }, data }, { signal });
  return true;
}

async function find(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Secret | undefined> {
  try {
    return await client.get(secrets, key, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function assertOurs(secret: Secret, resource: Managed): void {
  if (controllerOf(secret) === undefined && secret.type !== connectionSecretType) {
    const type = JSON.stringify(secret.type ?? 'Opaque');
    throw new ProviderError('transient', `refusing to modify uncontrolled secret of type ${type}`);
  }
  assertControllable(secret, resource.metadata.uid ?? '', 'secret');
}

/** Errors of the API server are retried, because they may be transient. */
async function retried<T>(clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || signal.aborted || !findCause(error, KubeApiError)) throw error;
    }
    await sleep(clock, PAUSE_MS, signal);
  }
}
