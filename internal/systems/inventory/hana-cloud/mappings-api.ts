import { isObject, ProviderError } from '../../../framework/base/index.ts';
import {
  type ApiSession,
  contractError,
  type ErrorOf,
  errorOfResponse,
  fenced,
  isRetryableUnsent,
  ResponseError,
  type ResponseText,
} from '../../../framework/http/index.ts';
import type { HanaCallOptions, HanaCloudClient, InstanceMapping, MappingList } from './hana-cloud-client.ts';
import type { paths } from './openapi.gen.ts';

interface MappingsApi extends Pick<HanaCloudClient, 'createMapping' | 'deleteMapping'> {
  /**
   * Validates the ID and takes the slots of the calls.
   *
   * @param doing e.g. `list the mappings`
   */
  admit(doing: string, serviceInstanceID: string, signal: AbortSignal): Promise<void>;
  listMappings(serviceInstanceID: string, options: HanaCallOptions): Promise<MappingList>;
}

const path = '/inventory/v2/serviceInstances/{serviceInstanceID}/instanceMappings';
const listRoute = `GET ${path}`;
const createRoute = `POST ${path}`;
const deleteRoute = `DELETE ${path}`;

/** A mapping has about ten values. */
const JSON_LIMITS = { maxDepth: 8, maxValues: 200_000 };

/** Response bodies of writes are not parsed: nothing of them is used. */
const parseAs = 'text';

/** @throws ProviderError for a page of a proxy, which does not show that anything was done */
function assertDone(route: string, body: unknown): void {
  if (typeof body === 'string' && /^\s*</.test(body)) throw contractError(route, 'the body is a page');
}

/** The three calls of openapi.yaml with their responses and retries. */
export function createMappingsApi(session: ApiSession): MappingsApi {
  const client = session.client<paths>({ jsonLimits: JSON_LIMITS, errorOf: errorOfHanaCloud });
  return {
    admit: async (doing, serviceInstanceID, signal) => {
      const call = { doing: `${doing} of instance ${serviceInstanceID}`, signal };
      assertInstanceID(serviceInstanceID, call.doing);
      await session.admit(call);
    },

    listMappings: (serviceInstanceID, { signal }) => {
      const doing = `list the mappings of instance ${serviceInstanceID}`;
      const params = { path: { serviceInstanceID } };
      return session.call({ doing, signal }, async () => {
        try {
          const { data, response } = await client.GET(path, { params, signal });
          if (response.status !== 200) throw unexpected(listRoute, response.status);
          const parsed = parseMappingList(data);
          if ('difference' in parsed) throw contractError(listRoute, parsed.difference);
          return { state: 'listed', mappings: parsed.mappings };
        } catch (error) {
          if (!isNotFound(error)) throw error;
          return { state: 'not-found', mappings: [], message: error.message };
        }
      });
    },

    createMapping: async (serviceInstanceID, mapping, { signal, fence }) => {
      const { platform, primaryID, secondaryID, isDefault } = mapping;
      const doing = `create a mapping of instance ${serviceInstanceID}`;
      const params = { path: { serviceInstanceID } };
      const body = { platform, primaryID, ...(secondaryID === undefined ? {} : { secondaryID }), isDefault };
      const call = { doing, signal, isRetryable: isRetryableUnsent, unrepeatable: createRoute };
      try {
        await session.call(call, async () => {
          const options = { params, body, signal, middleware: [fenced(fence)] };
          assertDone(createRoute, (await client.POST(path, { ...options, parseAs })).data);
        });
        return 'created';
      } catch (error) {
        if (error instanceof ResponseError && error.status === 409) return 'exists';
        throw isNotFound(error) ? new UnknownInstanceError(error.message, error) : error;
      }
    },

    deleteMapping: (serviceInstanceID, { primaryID, secondaryID }, { signal, fence }) => {
      const doing = `delete a mapping of instance ${serviceInstanceID}`;
      const query = { primaryID, ...(secondaryID === undefined ? {} : { secondaryID }) };
      const params = { path: { serviceInstanceID }, query };
      return session.call({ doing, signal }, async () => {
        try {
          const options = { params, signal, middleware: [fenced(fence)] };
          assertDone(deleteRoute, (await client.DELETE(path, { ...options, parseAs })).data);
          return 'deleted';
        } catch (error) {
          if (isNotFound(error)) return 'gone';
          throw error;
        }
      });
    },
  };
}

/** A 404 in the form of the contract, not one of a router or gateway. */
const isNotFound = (error: unknown): error is ResponseError =>
  error instanceof ResponseError && error.kind === 'not-found';

const unexpected = (route: string, status: number) =>
  new ResponseError(`${route} answered ${status}`, { kind: 'transient', status, route });

/** Length of an instance's ID, which is a UUID. */
const MAX_ID = 512;

/** Encoding makes an ID one segment of the path, except for an empty ID, `.` and `..`. */
function assertInstanceID(id: string, doing: string): void {
  if (id.length > MAX_ID) {
    const what = `a text of ${id.length} characters`;
    throw new ProviderError('terminal', `cannot ${doing}: ${what} cannot be the ID of an instance`);
  }
  if (!['', '.', '..'].includes(id) && id.isWellFormed()) return;
  const quoted = JSON.stringify(id);
  throw new ProviderError('terminal', `cannot ${doing}: ${quoted} cannot be the ID of an instance`);
}

type ParsedMappingList =
  | { readonly mappings: readonly InstanceMapping[] }
  /** The first difference from the contract: `mappings[3].primaryID is a number, not a string`. */
  | { readonly difference: string };

/**
 * Parses the JSON value of a list; undefined for an empty body. Without a schema validator, which would be slower and less
 * precise in its messages for this one response. A test compares it with the schema `InstanceMappingList` of openapi.yaml.
 */
export function parseMappingList(root: unknown): ParsedMappingList {
  if (root === undefined) return { difference: 'the body is empty' };
  if (!isObject(root)) return { difference: `the body is ${nameOf(root)}, not an object` };
  const { mappings } = root;
  if (!Array.isArray(mappings)) return { difference: `mappings is ${nameOf(mappings)}, not an array` };
  const parsed: InstanceMapping[] = [];
  for (const [index, item] of mappings.entries()) {
    const result = parseMapping(item, `mappings[${index}]`);
    if ('difference' in result) return result;
    parsed.push(result);
  }
  return { mappings: parsed };
}

function parseMapping(item: unknown, at: string): InstanceMapping | { readonly difference: string } {
  if (!isObject(item)) return { difference: `${at} is ${nameOf(item)}, not an object` };
  const { platform, primaryID, secondaryID, isDefault } = item;
  for (const [name, value] of Object.entries({ platform, primaryID })) {
    if (typeof value !== 'string') return { difference: `${at}.${name} is ${nameOf(value)}, not a string` };
    if (value === '') return { difference: `${at}.${name} is empty` };
  }
  if (secondaryID !== undefined && secondaryID !== null && typeof secondaryID !== 'string') {
    return { difference: `${at}.secondaryID is ${nameOf(secondaryID)}, not a string` };
  }
  if (isDefault !== undefined && typeof isDefault !== 'boolean') {
    return { difference: `${at}.isDefault is ${nameOf(isDefault)}, not a boolean` };
  }
  return {
    platform: String(platform),
    primaryID: String(primaryID),
    ...(secondaryID ? { secondaryID } : {}),
    isDefault: isDefault ?? false,
  };
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A 404 of the API for a create: the instance does not exist or is not visible. Kind `not-found`. */
export class UnknownInstanceError extends ResponseError {}

/** As `errorOfResponse`; `not-found` only for a 404 in the form of openapi.yaml. */
export const errorOfHanaCloud: ErrorOf = (response, context) =>
  errorOfResponse(response, { ...context, isNotFound: saysNotFound });

/** The codes of `NotFoundDetails` in openapi.yaml, in any spelling. */
const CODE = /^(instance|mapping|instancemapping|serviceinstance)?notfound$/;

/**
 * Whether a 404 says that there is no such instance or mapping: its code says that something is not found, and code or message
 * that this is an instance or a mapping. Gateways in front of the API have other codes or none, or name a route.
 */
function saysNotFound({ code = '', message = '' }: ResponseText): boolean {
  const word = code.toLowerCase().replace(/[^a-z]/g, '');
  return CODE.test(word) && /instance|mapping/i.test(`${code} ${message}`);
}
