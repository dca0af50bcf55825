import type { JsonObject, Route } from '../definition.ts';

/** Values for the tests of a kind, and what its API answers. `provider-kyma-kit generate` takes them from the OpenAPI document. */
export interface RestSample {
  /** All fields of the spec; those of Secrets and references have plain values. */
  readonly forProvider: JsonObject;
  /** Another value of each. */
  readonly other: JsonObject;
  readonly required: readonly string[];
  /** The response of read with all its fields, by names of the API. */
  readonly response: JsonObject;
  /** What the response of create has besides, for connection details. */
  readonly created: JsonObject;
  /**
   * Responses of other operations by route: of GETs for connection details, and of requests of your own of a kind that is written by hand.
   * Default: none.
   */
  readonly responses?: Readonly<Record<Route, unknown>>;
  /** The response of create has no body, but the header Location. Default false. */
  readonly isLocated?: boolean;
}

/** By kind. */
export type RestSamples = Readonly<Record<string, RestSample>>;
