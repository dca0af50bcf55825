/**
 * A kind of a REST API as data: its operations, where its ID comes from, its fields, and what the document of the API does not say.
 * `restKind` makes a ManagedKind of it.
 */
import type { ProviderError } from '../base/errors/errors.ts';
import { digitsOf, isBeyondNumber, rawNumber } from '../base/json/json-text.ts';
import { isObject } from '../base/json/json-value.ts';
import type { HttpResponse, ResponseContext } from '../http/index.ts';
import type { Managed } from '../managed/index.ts';

/** A resource whose fields are JSON. The types that `provider-kyma-generate` writes match. */
export interface RestResource extends Managed {
  spec: Managed['spec'] & { forProvider: object };
  status?: Managed['status'] & { atProvider?: object };
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Method and path template of an operation, which may have a query: `GET /v1/folders/{uid}?view=full&team={team}`. */
export type Route = `${Method} /${string}`;
export type JsonObject = Readonly<Record<string, unknown>>;

export interface RestDefinition<R extends RestResource = RestResource> {
  /** The external resource in messages: `folder`. */
  readonly noun: string;
  readonly id: RestId;
  readonly create: Route | RestCreate;
  readonly read: Route | RestRead | RestList;
  /** Default: no field can be changed after the creation. */
  readonly update?: Route | RestUpdate;
  readonly delete: Route | RestDelete;
  /** The fields of `spec.forProvider` that requests have, by name. Others are for parameters of paths only. */
  readonly fields: Readonly<Record<string, RestField>>;
  /** Fields of the spec with the values of parameters of paths, where their names differ. Default: those with the same names. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Fields of the response of read that `status.atProvider` has: a list, or dotted paths by name in the status. Default: none. */
  readonly status?: readonly string[] | Readonly<Record<string, string>>;
  /** When the external resource is ready. Default: once it exists. */
  readonly ready?: RestReady;
  /** What the response of read has while the API keeps what is deleted already. It then counts as absent. Default: nothing. */
  readonly deleted?: RestDeleted;
  /** Keys of the connection Secret. Default: no connection details. */
  readonly connection?: Readonly<Record<string, ConnectionValue>>;
  /** HTTP statuses of writes that only a change of the spec can help. Default: 400 and 422. */
  readonly terminalStatuses?: readonly number[];
  /** `any`: a 404 or 410 without a JSON object is of the API too, e.g. one without a body. Default: it may be of a gateway, and proves nothing. */
  readonly notFound?: 'any';
  /** Updates and deletes have the ETag of the last read in If-Match. Default false. */
  readonly ifMatch?: boolean;
  /**
   * What a change of an immutable field does. `refuse`: the update fails with the fields in its message. `replace`: the external
   * resource is deleted and created again. Default `refuse`.
   */
  readonly immutable?: 'refuse' | 'replace';
  readonly hooks?: RestHooks<R>;
}

/** The parts of the ID, in the order of the external name, where they are joined by `/`. */
export interface RestId {
  readonly parts: readonly RestIdPart[];
  /**
   * It belongs to one external resource of the API, whatever the account: of two resources with it the older one owns the external
   * resource, also if their credentials differ. Default: other credentials are another account, with external resources of its own.
   */
  readonly isUnique?: boolean;
  /**
   * Fields whose values together belong to one external resource at most, e.g. `[title]`. If the response of a create was lost, the
   * resource is looked for by them in a list, before it is created again. Default: a create with an unknown result waits for a user.
   */
  readonly findBy?: readonly string[];
  /** The list for `findBy`. Default: that of `read`. */
  readonly findIn?: RestList;
}

export interface RestIdPart {
  /** The parameter of the paths. */
  readonly parameter: string;
  /** `response`: the API chooses it; if the response of create has no body, it is in the path of its header Location. `spec`: a field of `spec.forProvider`. `name`: `metadata.name`. */
  readonly from: 'response' | 'spec' | 'name';
  /** The field of the response or of the spec. Default: the name of the parameter. */
  readonly field?: string;
  /** The field of the items of a list that have it, if it is another one than in the response of create. */
  readonly listed?: string;
}

export interface RestCreate {
  readonly route: Route;
  /** The dotted path of the fields in the body of the request. Default: the body itself. */
  readonly request?: string;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** The dotted path of the external resource in the response. Default: the whole response. */
  readonly result?: string;
  /** Set if the response may name an operation, and the external resource exists only when that has ended. */
  readonly later?: RestOperation;
}

/** An operation of the API that ends later, and is polled. One that fails is an error, and what it was for is requested again. */
export interface RestOperation {
  /** Where the response names the operation: the header Location, or the dotted path of its ID. */
  readonly from: 'location' | { readonly field: string };
  /** Every response of success names an operation. Default: 202 alone; another one has the external resource. */
  readonly always?: boolean;
  /** Reads it. Its last parameter is the ID. Without it, Location is read. */
  readonly read?: Route;
  /** The dotted path of its state. */
  readonly state: string;
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
  /** Of a create: the dotted path of the external resource in an operation that has succeeded. Default: the whole response. */
  readonly result?: string;
  /** The dotted path of a message, for users. Default: none. */
  readonly message?: string;
  /** Default 5000. */
  readonly pollAfterMs?: number;
}

export interface RestRead {
  readonly route: Route;
  readonly result?: string;
}

/** An API without an operation that reads one: it is looked for in a list. */
export interface RestList {
  readonly list: Route;
  /** The dotted path of the items in the response. Default: the response is the list. */
  readonly items?: string;
  readonly pages?: RestPages;
}

export type RestPages =
  /** Pages by number, until one has less items than another one. `size` is requested. */
  | {
      readonly by: 'number';
      readonly parameter: string;
      readonly first?: number;
      readonly sizeParameter: string;
      readonly size: number;
    }
  /** By the number of items before, as well. */
  | {
      readonly by: 'offset';
      readonly parameter: string;
      readonly sizeParameter: string;
      readonly size: number;
    }
  /** The response has a token for the next page, at the dotted path `next`; none or an empty one ends the list. */
  | { readonly by: 'token'; readonly parameter: string; readonly next: string }
  /** The response has the address of the next page: at the dotted path `next`, or else in the header Link. Of it the query is taken. */
  | { readonly by: 'link'; readonly next?: string };

export interface RestUpdate {
  readonly route: Route;
  /** As in `RestCreate`. */
  readonly request?: string;
  /** Default `application/json`. */
  readonly contentType?: string;
  /**
   * `all`: all fields of the spec. `changed`: those that differ. `merged`: the fields of the spec over those that were read, for a PUT
   * that would reset what it does not name. `json-patch`: a JSON Patch (RFC 6902) with a step for each field that differs. Default `all`.
   */
  readonly body?: 'all' | 'changed' | 'merged' | 'json-patch';
  /** Fields of the response of read that every update returns, e.g. a version. Default: none. */
  readonly echo?: readonly string[];
  /** Set if the response may name an operation, after which the update has taken effect. Those of single fields have none. */
  readonly later?: RestOperation;
}

export interface RestDelete {
  readonly route: Route;
  /** Set if the response may name an operation, after which the external resource is gone. */
  readonly later?: RestOperation;
}

/** The long form of an operation. */
export const longForm = <T extends { readonly route: Route }>(
  operation: Route | T,
): T | { readonly route: Route } => (typeof operation === 'string' ? { route: operation } : operation);

/** Whether the field cannot be changed after the creation. */
export const isFixed = (
  { update }: Pick<RestDefinition, 'update'>,
  { immutable, update: own }: RestField,
): boolean => immutable === true || (update === undefined && own === undefined);

export interface RestField {
  /** The name of the field in requests and responses. Default: its name in the spec. */
  readonly as?: string;
  /** The dotted path of the object that has the field in requests and responses. Default: the external resource itself. */
  readonly within?: string;
  /**
   * The value in requests, for a field that the spec does not have. In an object with other fields it is sent together with one of
   * them. Default: that of the spec.
   */
  readonly value?: string | number | boolean;
  /** The spec has a text, or a list of texts, where the API has numbers, as for numeric IDs that references fill. Default: the same. */
  readonly sentAs?: 'number';
  /** Cannot be changed after the creation. Default false. */
  readonly immutable?: boolean;
  /** The API does not return it, so a change made elsewhere is not seen. Default false. */
  readonly writeOnly?: boolean;
  /**
   * The value is in a Secret, to which the field `<name>SecretRef` of the spec refers by `name`, `key` and, in cluster-scoped resources,
   * `namespace`. Such a field is write-only. Default false.
   */
  readonly secret?: boolean;
  /** The order of the items does not count. Default false. */
  readonly unordered?: boolean;
  /** Unset, it takes the value of the external resource. Default true. */
  readonly lateInitialize?: boolean;
  /** An operation of its own changes it; its body has this field alone. Default: `update`. */
  readonly update?: Route;
  /** What differs between the spec and the API within the field. Default: nothing. */
  readonly inner?: readonly RestInnerField[];
}

/** A field of objects within another one, also of those in its lists. Beside it the spec has `<name>SecretRef` in place of a secret. */
export interface RestInnerField extends Pick<RestField, 'value' | 'sentAs' | 'writeOnly' | 'secret'> {
  /** The dotted path from the field around it; it leads through lists: `targets.id`. */
  readonly path: string;
  /** Fields beside it that only the spec has: its reference and its selector. */
  readonly fillers?: readonly string[];
}

/** The field of the spec that refers to the Secret with a value. */
export const secretRefName = (name: string): string => `${name}SecretRef`;

export const hasSecretWithin = ({ inner = [] }: Pick<RestField, 'inner'>): boolean =>
  inner.some(({ secret }) => secret);

/** A value of the spec with a change of each object that has, or may have, a secret: `name` is that of the secret. */
export const changedSecrets = (
  value: unknown,
  { inner = [] }: Pick<RestField, 'inner'>,
  change: (object: Record<string, unknown>, name: string) => JsonObject,
): unknown =>
  inner.reduce(
    (whole, { path, secret }) => (secret ? changedWithin(whole, pathOf(path), change) : whole),
    value,
  );

export interface RestReady {
  /** The dotted path of the state in the response of read. */
  readonly field: string;
  readonly values: readonly string[];
  /** The API is still working: nothing is written meanwhile. Default: none. */
  readonly pending?: readonly string[];
  /** Default 5000. */
  readonly pollAfterMs?: number;
}

export interface RestDeleted {
  /** The dotted path of the mark. */
  readonly field: string;
  /** Default: any value but null, false, 0 and an empty text, such as a time. */
  readonly values?: readonly string[];
}

export interface ConnectionValue {
  /**
   * `created`: the response of create alone has it, e.g. a new key. `observed`: the response of read. A route: that of this GET, which is
   * sent with each observation of what is ready, if the resource has a connection Secret; a 404 of it means that there is none yet.
   */
  readonly from: 'created' | 'observed' | Route;
  /** The dotted path of the value. */
  readonly field: string;
}

/** What data cannot say. `Request` and `External` are the fields of requests, and the external resource as read returns it. */
export interface RestHooks<
  R extends RestResource = RestResource,
  Request extends object = JsonObject,
  External extends object = JsonObject,
> {
  /** Changes the body of a request. */
  request?(body: Request, resource: R, operation: 'create' | 'update'): JsonObject;
  /** Changes an external resource that was read, before it is compared. */
  observed?(external: External): JsonObject;
  /** A difference that the fields do not show; the update is then requested. `undefined`: none. */
  diff?(resource: R, external: External): string | undefined;
  /** The error of a response other than success. Default: `errorOfResponse`. */
  errorOf?(response: HttpResponse, context: ResponseContext): ProviderError;
}

type ValueForm = Pick<RestField, 'sentAs' | 'inner'>;

/** The value of a field of the spec as the API has it. */
export function sentValue(value: unknown, { sentAs, inner = [] }: ValueForm): unknown {
  const sent = inner.reduce(
    (whole, { path, fillers = [], ...field }) =>
      changedWithin(whole, pathOf(path), (object, name) => {
        const { [name]: own, ...others } = object;
        for (const filler of field.secret ? [secretRefName(name)] : fillers) delete others[filler];
        const constant = field.value ?? sentValue(own, field);
        return constant === undefined ? others : { ...others, [name]: constant };
      }),
    value,
  );
  return sentAs === undefined ? sent : asNumber(sent);
}

function asNumber(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asNumber);
  if (typeof value !== 'string' || value.trim() === '' || !Number.isFinite(Number(value))) return value;
  return isBeyondNumber(value) ? rawNumber(value) : Number(value);
}

/** The value of the API as a field of the spec has it. */
export function specValue(value: unknown, { sentAs, inner = [] }: ValueForm): unknown {
  const own = inner.reduce(
    (whole, { path, value: constant, ...field }) =>
      changedWithin(whole, pathOf(path), (object, name) => {
        const { [name]: observed, ...others } = object;
        if (observed === undefined || constant !== undefined || field.secret) return others;
        return { ...others, [name]: specValue(observed, field) };
      }),
    value,
  );
  return sentAs === undefined ? own : asText(own);
}

/** A value as the API has it, without what the API does not return. */
export function comparedValue(value: unknown, { inner = [] }: Pick<RestField, 'inner'>): unknown {
  return inner.reduce(
    (whole, { path, writeOnly, secret }) =>
      writeOnly || secret
        ? changedWithin(whole, pathOf(path), ({ [pathOf(path).at(-1) ?? '']: _, ...others }) => others)
        : whole,
    value,
  );
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText);
  return digitsOf(value) ?? (typeof value === 'number' ? String(value) : value);
}

/** A value with a change of each object that has, or may have, the field at a path through objects and lists. */
export function changedWithin(
  value: unknown,
  path: readonly string[],
  change: (object: Record<string, unknown>, name: string) => JsonObject,
): unknown {
  if (Array.isArray(value)) return value.map((item) => changedWithin(item, path, change));
  const [first = '', ...rest] = path;
  if (!isObject(value) || digitsOf(value) !== undefined) return value;
  if (rest.length === 0) return change({ ...value }, first);
  return Object.hasOwn(value, first)
    ? { ...value, [first]: changedWithin(value[first], rest, change) }
    : value;
}

/** The GETs that connection details need besides read. */
export const detailRoutes = ({ connection = {} }: Pick<RestDefinition, 'connection'>): readonly Route[] => [
  ...new Set(
    Object.values(connection).flatMap(({ from }) =>
      from === 'created' || from === 'observed' ? [] : [from],
    ),
  ),
];

/** Where requests and responses have a field of the spec. */
export const fieldPath = (
  name: string,
  { as = name, within }: Pick<RestField, 'as' | 'within'>,
): readonly string[] => [...pathOf(within), as];

/** Messages, pages and paths use dotted paths: `metadata.state`. */
export const pathOf = (dotted: string | undefined): readonly string[] =>
  dotted === undefined || dotted === '' ? [] : dotted.split('.');
