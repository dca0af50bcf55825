/** What is generated for a kind: its definition for `restKind`, its source for hack/codegen, and values for tests. */
import type { RestDefinition } from '../../../internal/framework/rest/definition.ts';
import type { JsonObject } from '../document/openapi-document.ts';
import type { Scope } from '../format/provider-file.ts';

export interface KindModel {
  readonly kind: string;
  readonly plural: string;
  /** Its file, if it is written by hand. */
  readonly code: string | undefined;
  readonly scopes: readonly Scope[];
  readonly description: string;
  readonly definition: RestDefinition;
  /** Schemas, as sources of kinds have them. */
  readonly forProvider: JsonObject;
  readonly atProvider: JsonObject;
  /** The fields of requests, and the external resource, as types of TypeScript: `hooks.ts` gets them. */
  readonly types: { readonly request: string; readonly external: string };
  readonly sample: KindSample;
  /** What an author should know: fields whose drift is not seen, fields that are left out. */
  readonly warnings: readonly string[];
}

/** Values for tests, and what the API of the document answers. */
export interface KindSample {
  /** All fields of the spec; secrets and references have plain values. */
  readonly forProvider: JsonObject;
  /** Another value of each. */
  readonly other: JsonObject;
  readonly required: readonly string[];
  /** The response of read with all its fields, by names of the API. */
  readonly response: JsonObject;
  /** What the response of create has besides, for connection details. */
  readonly created: JsonObject;
  /** Responses of the GETs for connection details, by route. */
  readonly responses?: Readonly<Record<string, JsonObject>>;
}
