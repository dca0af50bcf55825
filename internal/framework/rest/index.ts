/** `provider-kyma/rest`: kinds of REST APIs from definitions, and connections with a ProviderConfig and its credentials. */

export type {
  ConnectionValue,
  JsonObject,
  Method,
  RestCreate,
  RestDefinition,
  RestDelete,
  RestDeleted,
  RestField,
  RestHooks,
  RestId,
  RestIdPart,
  RestInnerField,
  RestList,
  RestOperation,
  RestPages,
  RestRead,
  RestReady,
  RestResource,
  RestUpdate,
  Route,
} from './definition.ts';
export {
  createRestApi,
  type RestApi,
  type RestApiOptions,
  type RestAuthentication,
  type RestConfig,
  type RestConnection,
  type SecretKeyRef,
  type SecretValue,
} from './rest-api.ts';
export { type RestClientOptions, restClient } from './rest-client.ts';
export { type RestKindOptions, restKind } from './rest-kind.ts';
export {
  addRestProvider,
  kindByHand,
  type RestProvider,
  type RestProviderKind,
  type RestScope,
  restKinds,
} from './rest-provider.ts';
export { runRestProvider } from './run-rest-provider.ts';
