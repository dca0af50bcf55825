import { messageOf } from '../base/errors/errors.ts';
import type { ResourceType } from '../kube/index.ts';
import {
  type ConfigKinds,
  creating,
  type FieldReference,
  getCondition,
  type ManagedKind,
  resolveFieldReferences,
  setConditions,
  shareOfNamespace,
  typeReady,
  unavailable,
} from '../managed/index.ts';
import type { RestDefinition, RestResource } from './definition.ts';
import { externalNames } from './external-name.ts';
import type { RestApi } from './rest-api.ts';
import { restClient } from './rest-client.ts';

export interface RestKindOptions<R extends RestResource>
  extends Pick<
    ManagedKind<R>,
    'resolveReferences' | 'observeAfterCreate' | 'observeAfterUpdate' | 'creationGracePeriodMs'
  > {
  /** One of the types of the kind. */
  readonly type: ResourceType<R>;
  readonly api: RestApi;
  /** The configurations of the scope of `type`. */
  readonly kinds: ConfigKinds;
  /** Fields that references fill; those within lists are filled in requests alone. Default: none. */
  readonly references?: readonly FieldReference[];
}

/**
 * A kind of managed resources of a REST API. Spread the result to change a part of it. Add it with
 * `{ configs, readsConfig: true }`.
 */
export function restKind<R extends RestResource>(
  definition: RestDefinition<R>,
  { type, api, kinds, references = [], ...options }: RestKindOptions<R>,
): ManagedKind<R> {
  const { isKnownBefore } = externalNames(definition);
  const { isUnique = false } = definition.id;
  const claims = api.claims.of<R>({ type, noun: definition.noun, apiName: api.apiName });
  return {
    type,
    connector: {
      connect: async (resource, ctx) => {
        const connection = await api.connect(resource, kinds, ctx);
        const filled = await api.resolveWithin(resource, references, ctx);
        const { credentialsID, hosts } = connection.session;
        return claims.client(restClient({ definition, api, connection, filled }), [
          hosts.baseUrl,
          ...(isUnique ? [] : [credentialsID]),
        ]);
      },
    },
    sources: (cache) => [claims.source(cache)],
    connectFailed: (resource, error, { clock }) => {
      // What was created and not found yet is known by it.
      if (getCondition(resource, typeReady)?.reason !== creating().reason)
        setConditions(resource, clock, unavailable(messageOf(error)));
    },
    limitKeysOf: (resource) => [...shareOfNamespace(resource), ...api.limitKeysOf(resource, kinds)],
    deterministicExternalName: isKnownBefore || definition.id.findBy !== undefined,
    // An API that shows an update later is observed at the next poll, as without it.
    observeAfterUpdate: true,
    // The external name is the ID, not metadata.name.
    initializers: [],
    ...(references.length === 0 ? {} : { resolveReferences: resolveFieldReferences<R>(references) }),
    ...options,
  };
}
