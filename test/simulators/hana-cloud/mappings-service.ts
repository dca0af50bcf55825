import { apiError, json, unauthorized, unknownInstance } from './answer.ts';
import type { Route } from './contract.ts';
import type { Service } from './http/receiver.ts';
import type { TokenMint } from './oauth/tokens.ts';
import type { Mapping, MappingKey, Store } from './store.ts';

export interface MappingsServiceOptions {
  readonly store: Store;
  readonly mint: TokenMint;
  /** The response for an instance that exists but is hidden from the client. */
  readonly hiddenAs: () => 403 | 404;
}

/** The instance mappings API with its state. */
export function createMappingsService({ store, mint, hiddenAs }: MappingsServiceOptions): Service {
  return {
    routes: new Set<Route>(['list', 'create', 'delete']),
    identify: ({ message }) => {
      const [scheme, token] = message.headers.authorization?.split(' ') ?? [];
      if (scheme?.toLowerCase() !== 'bearer' || token === undefined)
        return { refusal: unauthorized('a token is needed') };
      if (!mint.isGenuine(token)) return { refusal: unauthorized('the token was not issued here') };
      const known = store.clientOfToken(token, Date.now());
      if ('refused' in known) return { refusal: unauthorized(known.refused) };
      return { clientID: known.client.id, token: known.number };
    },
    serve: ({ route, instance, query, body }, clientID) => {
      const sees = clientID !== undefined && store.client(clientID)?.instances.has(instance);
      if (!store.hasInstance(instance)) return unknownInstance(instance);
      if (!sees)
        return hiddenAs() === 404
          ? unknownInstance(instance)
          : apiError(403, 'FORBIDDEN', 'not your instance');
      switch (route) {
        case 'list':
          return json(200, { mappings: store.mappings(instance) });
        case 'create': {
          const created = store.addMapping(instance, mappingOf(body));
          return created ? json(201, mappingOf(body)) : apiError(409, 'CONFLICT', 'the mapping exists');
        }
        case 'delete':
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
