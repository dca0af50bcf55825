/**
 * What `provider.yaml` says: the kinds of a provider with their operations in the OpenAPI document, and what that document does not say.
 * `read-provider-file.ts` reads it; the page docs/authors/provider-yaml.md explains each key.
 */
import { createHash } from 'node:crypto';
import type { Position } from '../../codegen/source/source.ts';

export interface ProviderFile {
  /** Short name of the API, in metrics: `grafana`. */
  readonly name: string;
  /** The group of cluster-scoped kinds. Namespaced ones have it with `m` as its second label. */
  readonly group: string;
  /** Default `v1alpha1`. */
  readonly version: string;
  readonly openapi: DocumentFile;
  readonly api: ApiSettings;
  readonly kinds: Readonly<Record<string, KindSettings>>;
}

export interface DocumentFile {
  /** Relative to `provider.yaml`. */
  readonly file: string;
  /** Of the file, in hexadecimal. Default: it is not checked. */
  readonly sha256?: string;
}

export interface ApiSettings {
  /** In messages. Default: the title of the document. */
  readonly name?: string;
  /** The address where neither ProviderConfig nor credentials name one. Default: the first absolute server of the document. */
  readonly url?: string;
  /** Default: what the document requires first and is known, else its first known scheme, else `none`. */
  readonly authentication?: Authentication;
  /** Of all requests, by name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Query parameters of all requests, by name. Default: none. */
  readonly query?: Readonly<Record<string, string>>;
  /** Parameters of paths that have one value for all requests, by name. Default: none. */
  readonly path?: Readonly<Record<string, string>>;
  /** `any`: a 404 without JSON counts too. Default: it may be of a gateway. */
  readonly notFound?: 'any';
  /** HTTP statuses of writes that only a change of the spec can help. Default: 400 and 422. */
  readonly terminalStatuses?: readonly number[];
}

export type Authentication =
  | 'bearer'
  | 'basic'
  | 'client-credentials'
  | 'none'
  /** An API key in the header or the query parameter of this name. */
  | { readonly header: string }
  | { readonly query: string }
  /** Several headers, by name: the member of the credentials, which are JSON, with the value. */
  | { readonly headers: Readonly<Record<string, string>> };

/** An operation of the document: its operationId, or `GET /v1/folders/{id}`; values of its query after `?`. */
export type OperationName = string;

/** A dotted path of fields in a response: `metadata.id`. */
export type FieldPath = string;

export interface KindSettings {
  /** Default: the kind in lower case with `s`. */
  readonly plural?: string;
  /** The external resource in messages. Default: the words of the kind in lower case. */
  readonly noun?: string;
  /** Default: the description of the request of create. */
  readonly description?: string;
  /** Default: both. */
  readonly scopes?: readonly Scope[];
  readonly create: CreateSettings;
  readonly read: ReadSettings;
  /** Default: no field can be changed after the creation. */
  readonly update?: UpdateSettings;
  readonly delete: DeleteSettings;
  /**
   * The parts of the ID by parameter of the paths, each with its source: `metadata.name`, `spec.<field>`, or a field of the response of
   * create. Default: parameters that create has too are fields of the spec; the last one is a field of the response.
   */
  readonly id: Readonly<Record<string, FieldPath>>;
  /** The ID belongs to one external resource, whatever the account. Default: whether the document says that the API chooses a UUID. */
  readonly uniqueId?: boolean;
  readonly findBy?: FindBySettings;
  /** Fields of the spec that are required, besides those that the document requires. Default: none. */
  readonly required: readonly string[];
  /** Fields of the request that the spec does not have. Default: none. */
  readonly omit: readonly string[];
  /** Fields of the request that the spec has, besides those of `fields`. Default: all. */
  readonly only?: readonly string[];
  /** By name in the document, or dotted path of a field within an object. Default: each field as the document has it. */
  readonly fields: Readonly<Record<string, FieldSettings>>;
  /** Fields of the response of read that the status has. Default: all that are not in the spec. */
  readonly status?: readonly string[];
  /** Default: ready once it exists. */
  readonly ready?: ReadySettings;
  /** How the response of read shows what is deleted, but kept for a while. Default: it does not. */
  readonly deleted?: DeletedSettings;
  /** Keys of the connection Secret, by name. Default: none. */
  readonly connection: Readonly<Record<string, ConnectionSettings>>;
  /** The file of a kind that is written by hand, which `eject` has made. Default: the kind is generated. */
  readonly code?: string;
  /** Operations that a kind written by hand requests besides: the simulated API of tests and of `dev` has them too. Default: none. */
  readonly requests?: readonly OperationName[];
  /** What a change of a field that cannot be changed does. Default `refuse`. */
  readonly immutable?: 'refuse' | 'replace';
}

export type Scope = 'cluster' | 'namespaced';

export interface CreateSettings {
  readonly operation: OperationName;
  /** The member of the request that has the fields. Default: the request itself. */
  readonly request?: FieldPath;
  /** The external resource in the response. Default: the response itself. */
  readonly result?: FieldPath;
  readonly later?: LaterSettings;
}

export interface DeleteSettings {
  readonly operation: OperationName;
  readonly later?: LaterSettings;
}

/** The API answers 202, and an operation ends later. */
export interface LaterSettings {
  /** `location`: the header. Else the field of the response with the ID of the operation. */
  readonly from: FieldPath;
  /** Reads the operation. Default: Location is read. */
  readonly read?: OperationName;
  readonly state: FieldPath;
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
  /** Of a create. */
  readonly result?: FieldPath;
  readonly message?: FieldPath;
  /** Default 5. */
  readonly pollSeconds?: number;
}

export type ReadSettings =
  | { readonly operation: OperationName; readonly result?: FieldPath }
  | { readonly list: OperationName; readonly items?: FieldPath; readonly pages?: PagesSettings };

export type PagesSettings =
  | {
      readonly by: 'number';
      readonly parameter: string;
      readonly first?: number;
      readonly sizeParameter: string;
      readonly size: number;
    }
  | {
      readonly by: 'offset';
      readonly parameter: string;
      readonly sizeParameter: string;
      readonly size: number;
    }
  | { readonly by: 'token'; readonly parameter: string; readonly next: FieldPath }
  /** The address of the next page is at `next`, or else in the header Link. */
  | { readonly by: 'link'; readonly next?: FieldPath };

/** Finds an external resource whose create got no response. */
export interface FindBySettings {
  /** Fields of the spec whose values together belong to one external resource at most. */
  readonly fields: readonly string[];
  /** Default: that of `read`. */
  readonly list?: OperationName;
  readonly items?: FieldPath;
  readonly pages?: PagesSettings;
}

export interface UpdateSettings {
  readonly operation: OperationName;
  readonly request?: FieldPath;
  /** Default: `json-patch` for a request that is a list of operations, `changed` for PATCH, else `all`. */
  readonly body?: 'all' | 'changed' | 'merged' | 'json-patch';
  /** Updates and deletes have the ETag of the last read. Default: whether the document has the header If-Match. */
  readonly ifMatch?: boolean;
  /** Fields of the response of read that each update returns. Default: none. */
  readonly echo?: readonly string[];
  readonly later?: LaterSettings;
}

export interface FieldSettings {
  /** Its name in the spec. Default: its name in the document, in camel case. */
  readonly name?: string;
  readonly description?: string;
  /** Default: whether the document requires it. */
  readonly required?: boolean;
  /** Default: whether the request of update lacks it. */
  readonly immutable?: boolean;
  /** Default: whether the response of read lacks it. */
  readonly writeOnly?: boolean;
  /** The value is in a Secret. Default: whether the document calls it a password. */
  readonly secret?: boolean;
  /** Default: whether the document says that the items are unique. */
  readonly unordered?: boolean;
  readonly lateInitialize?: boolean;
  /** Users can set it to null. Default false. */
  readonly nullable?: boolean;
  /** What each request has; the spec does not have the field. */
  readonly value?: string | number | boolean;
  /** The ID of an object of another kind of this file. */
  readonly reference?: ReferenceSettings;
  /** The members of this object are fields of the spec by themselves. Default false. */
  readonly flat?: boolean;
  /** Another operation changes this field; its request has this field alone. */
  readonly update?: OperationName;
}

export interface ReferenceSettings {
  readonly kind: string;
  /** The dotted path of the value in the other object. Default: its external name. */
  readonly value?: FieldPath;
}

export interface ReadySettings {
  readonly field: FieldPath;
  readonly values: readonly string[];
  readonly pending?: readonly string[];
  /** Default 5. */
  readonly pollSeconds?: number;
}

export interface DeletedSettings {
  readonly field: FieldPath;
  /** Default: any that counts as true, such as a time. */
  readonly values?: readonly string[];
}

export interface ConnectionSettings {
  /** The operation whose response has the value: create, read, or another GET by its name. */
  readonly from: 'create' | 'read' | OperationName;
  readonly field: FieldPath;
}

/** A mistake, with its place. */
export interface Problem {
  readonly at: Position;
  readonly text: string;
}

/** By which files are pinned, and known to be unchanged. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
