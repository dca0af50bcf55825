import { changedSecrets, type JsonObject, type RestField, type Route, secretRefName } from '../definition.ts';
import type { SecretKeyRef } from '../rest-api.ts';

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

/** A value of a sample as a field of the spec has it: its secrets are in Secrets, which `refTo` makes. */
export const withSecretRefs = (
  value: unknown,
  field: Pick<RestField, 'inner'> | undefined,
  refTo: (text: string) => SecretKeyRef,
): unknown =>
  changedSecrets(structuredClone(value), field ?? {}, (object, name) => {
    const { [name]: own, ...others } = object;
    return typeof own === 'string' ? { ...others, [secretRefName(name)]: refTo(own) } : object;
  });

/** The secrets within a value of a sample, or of a request. */
export function secretsWithin(value: unknown, field: Pick<RestField, 'inner'>): readonly string[] {
  const found: string[] = [];
  changedSecrets(value, field, (object, name) => {
    const own = object[name];
    if (typeof own === 'string') found.push(own);
    return object;
  });
  return found;
}
