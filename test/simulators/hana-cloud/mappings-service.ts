import { json } from '../base/answer.ts';
import type { Service } from '../base/http/receiver.ts';
import { clientOfBearer } from '../base/oauth/bearer.ts';
import type { TokenMint } from '../base/oauth/tokens.ts';
import { apiError, errors } from './answers.ts';
import type { Route } from './contract.ts';
import type { ForeignMappings } from './foreign-mappings.ts';
import type { Mapping, MappingKey, Store } from './store.ts';

export interface MappingsServiceOptions {
  readonly store: Store;
  readonly mint: TokenMint;
  /** The response for an instance that exists but is hidden from the client. */
  readonly hiddenAs: () => 403 | 404;
  readonly foreign: ForeignMappings;
}

/** The instance mappings API with its state. */
export function createMappingsService({
  store,
  mint,
  hiddenAs,
  foreign,
}: MappingsServiceOptions): Service<Route> {
  return {
    routes: new Set<Route>(['list', 'create', 'delete']),
    identify: ({ message }) => {
      const known = clientOfBearer(message, store, mint);
      if ('refused' in known) return { refusal: errors.unauthorized(known.refused) };
      return { clientID: known.client.id, token: known.number };
    },
    serve: ({ route, instance, query, body }, clientID) => {
      const sees = clientID !== undefined && store.client(clientID)?.instances.has(instance);
      if (!store.hasInstance(instance)) return errors.unknown(instance);
      if (!sees)
        return hiddenAs() === 404
          ? errors.unknown(instance)
          : apiError(403, 'FORBIDDEN', 'not your instance');
      switch (route) {
        case 'list':
          return json(200, { mappings: [...store.mappings(instance), ...foreign.of(instance)] });
        case 'create': {
          const created = store.addMapping(instance, mappingOf(body));
          if (created) foreign.place(instance, mappingOf(body));
          return created ? json(201, mappingOf(body)) : apiError(409, 'CONFLICT', 'the mapping exists');
        }
        case 'delete':
          if (foreign.isHit(instance, keyIn(query)))
            return apiError(403, 'FORBIDDEN', 'the mapping belongs to another cluster');
          return store.removeMapping(instance, keyIn(query))
            ? { status: 204, headers: {}, body: '' }
            : apiError(404, 'NOT_FOUND', 'there is no such mapping');
        case 'token':
          throw new Error('the API grants no tokens');
        default:
          return route satisfies never;
      }
    },
  };
}

/** The key that a deletion names. */
export function keyIn(query: URLSearchParams): MappingKey {
  const secondaryID = query.get('secondaryID');
  return { primaryID: query.get('primaryID') ?? '', ...(secondaryID === null ? {} : { secondaryID }) };
}

function mappingOf(body: unknown): Mapping {
  // The contract's schema was checked before.
  return body as Mapping;
}
