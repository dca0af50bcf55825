/** A provider of a REST API as data: the API, and its kinds with their types in both scopes. `provider-kyma-kit generate` writes it. */
import type { ResourceType } from '../kube/index.ts';
import type { ConfigKinds, FieldReference, ManagedKind, Provider } from '../managed/index.ts';
import type { RestDefinition, RestResource } from './definition.ts';
import { createRestApi, type RestApi, type RestApiOptions } from './rest-api.ts';
import { type RestKindOptions, restKind } from './rest-kind.ts';

export interface RestProvider
  extends Pick<
    RestApiOptions,
    'system' | 'apiName' | 'authentication' | 'url' | 'headers' | 'query' | 'rateLimits' | 'maxResponseBytes'
  > {
  readonly configKinds: Readonly<Record<RestScope, ConfigKinds>>;
  readonly kinds: readonly RestProviderKind[];
}

export type RestScope = 'cluster' | 'namespaced';

export interface RestProviderKind {
  readonly definition: RestDefinition;
  /** By scope; a kind has one or both. */
  readonly types: { readonly [S in RestScope]?: ResourceType<RestResource> };
  /** Fields that references fill. Default: none. */
  readonly references?: readonly FieldReference[];
  /** Makes the kind, for one that is written by hand. Default: `restKind`. */
  create?(definition: RestDefinition, options: RestKindOptions<RestResource>): ManagedKind<RestResource>;
}

/** `create` of a kind that is written by hand: the types of its kind are those of its objects. */
export function kindByHand<R extends RestResource>(
  make: (definition: RestDefinition<R>, options: RestKindOptions<R>) => ManagedKind<R>,
): NonNullable<RestProviderKind['create']> {
  return make as unknown as NonNullable<RestProviderKind['create']>;
}

/** The kinds of one scope, on a connection to the API. */
export function restKinds(
  provider: RestProvider,
  scope: RestScope,
  api: RestApi,
): ManagedKind<RestResource>[] {
  const kinds = provider.configKinds[scope];
  return provider.kinds.flatMap(({ definition, types, references = [], create = restKind }) => {
    const type = types[scope];
    if (type === undefined) return [];
    return [create(definition, { type, api, kinds, references })];
  });
}

/** Adds all kinds with their configurations to a program. The result is closed after the program has ended. */
export function addRestProvider(
  provider: RestProvider,
  program: Provider,
  options: Pick<RestApiOptions, 'allowPrivateEndpoints' | 'env'> = {},
): RestApi {
  const { kinds: _, configKinds, ...settings } = provider;
  const api = createRestApi({ ...program.common, ...settings, ...options, cluster: program.cluster });
  for (const scope of ['cluster', 'namespaced'] as const) {
    const kinds = restKinds(provider, scope, api);
    if (kinds.length === 0) continue;
    const configs = program.addConfigs(configKinds[scope]);
    for (const kind of kinds) program.addKind(kind, { configs, readsConfig: true });
  }
  return api;
}
