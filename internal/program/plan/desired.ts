/** What a manifest would become if it were applied. */

import { randomUUID } from 'node:crypto';
import { schemas } from '../../../apis/schemas.gen.ts';
import { type Deps, formatTimestamp, messageOf, ProviderError } from '../../framework/base/index.ts';
import { applied } from '../../framework/kube/apply/applied.ts';
import {
  isForbidden,
  isNotFound,
  isUnknownKind,
  type KubeClient,
  keyOf,
  keyString,
  type ResourceType,
} from '../../framework/kube/index.ts';
import { problemsIn, withDefaults } from '../../framework/kube/object/structural-schema.ts';
import type { Managed } from '../../framework/managed/index.ts';

export interface Desired<R extends Managed> {
  readonly object: R;
  /** The stored object; absent if there is none. */
  readonly live?: R;
  /** What defaulted and validated the object: a dry run of the API server, or the generated schema. */
  readonly checkedBy: 'server' | 'schema';
  /** Why there was no dry run; one line. */
  readonly note?: string;
}

export interface DesiredOptions<R extends Managed> extends Pick<Deps, 'clock'> {
  readonly client: KubeClient;
  readonly type: ResourceType<R>;
  readonly signal: AbortSignal;
}

/**
 * The object as the API server would store it: merged into the live object like `kubectl apply`, defaulted and
 * validated. This is a dry run if the user may create or update the kind. Otherwise the generated schema is used, which
 * has fields, types and defaults, but neither CEL rules nor admission.
 *
 * @throws a terminal error if the object would be refused
 */
export async function desiredOf<R extends Managed>(
  manifest: R,
  options: DesiredOptions<R>,
): Promise<Desired<R>> {
  const { client, type, signal } = options;
  const live = await findLive<R>(client, type, manifest, signal);
  const body = live === undefined ? withoutStatus(manifest) : applied(manifest, live);
  const found = live === undefined ? {} : { live };
  try {
    const write = { dryRun: true, fieldValidation: 'Strict', signal } as const;
    const object =
      live === undefined ? await client.create(type, body, write) : await client.update(type, body, write);
    return { object, ...found, checkedBy: 'server' };
  } catch (error) {
    if (!isForbidden(error) && !isNotFound(error)) throw error;
    const object = bySchema(body, live === undefined, options);
    const why = isUnknownKind(error) ? `the cluster does not know the kind` : messageOf(error);
    return { object, ...found, checkedBy: 'schema', note: `not checked by a dry run: ${why}` };
  }
}

async function findLive<R extends Managed>(
  client: KubeClient,
  type: ResourceType<R>,
  manifest: R,
  signal: AbortSignal,
): Promise<R | undefined> {
  try {
    return await client.get(type, keyOf(manifest), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function bySchema<R extends Managed>(body: R, isNew: boolean, { type, clock }: DesiredOptions<R>): R {
  const schema = schemas[`${type.kind}.${type.version}.${type.group}`];
  if (schema === undefined) throw new ProviderError('bug', `there is no schema of ${type.kind}`);
  const { status: _, ...asked } = body as R & { status?: unknown };
  const object = withDefaults(schema, asked) as R;
  const problems = problemsIn(schema, object);
  if (problems.length > 0) {
    const what = `${type.kind} ${keyString(keyOf(body))}`;
    throw new ProviderError('terminal', `cannot apply ${what}: ${problems.join('; ')}`);
  }
  const { status } = body;
  return {
    ...object,
    ...(status === undefined ? {} : { status }),
    metadata: isNew
      ? {
          ...body.metadata,
          uid: randomUUID(),
          generation: 1,
          creationTimestamp: formatTimestamp(clock.now()),
        }
      : body.metadata,
  };
}

/** Removes the status, which `kubectl apply` does not set, and metadata that the API server assigns. */
function withoutStatus<R extends Managed>(manifest: R): R {
  const { status: _, ...rest } = manifest as R & { status?: unknown };
  const { uid: _uid, resourceVersion: _version, managedFields: _fields, ...metadata } = manifest.metadata;
  return { ...rest, metadata } as R;
}
