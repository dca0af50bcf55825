import createClient from 'openapi-fetch';
import { ProviderError } from '../../base/errors.ts';
import type { Fence } from '../../base/fence.ts';
import type { HttpRequest, HttpResponse } from '../../http/transport/send-request.ts';
import { type AnswerContext, contractError, errorOfAnswer, isOwnNotFound, mayPass } from './answer-error.ts';
import { errorOfCall } from './call-error.ts';
import type { CallOptions, HanaCloudClient, MappingList } from './client.ts';
import { HanaApiError, UnknownInstanceError } from './errors.ts';
import { parseMappingList } from './mapping-list.ts';
import { NoAnswerError } from './no-answer-error.ts';
import type { paths } from './openapi.gen.ts';

/** Sends one request with a good token; any status is an answer. */
export type Send = (route: string, request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

export interface MappingsApiOptions {
  readonly baseUrl: string;
  readonly send: Send;
  /** Repeats the attempt while its error is one that may pass. */
  readonly retrying: <T>(
    signal: AbortSignal,
    passes: (error: unknown) => boolean,
    attempt: () => Promise<T>,
  ) => Promise<T>;
  readonly answerContext: (route: string) => AnswerContext;
  readonly scrub: (text: string) => string;
}

export interface MappingsApi extends Pick<HanaCloudClient, 'createMapping' | 'deleteMapping'> {
  listMappings(serviceInstanceID: string, options: CallOptions): Promise<MappingList>;
}

const path = '/inventory/v2/serviceInstances/{serviceInstanceID}/instanceMappings';
const listRoute = `GET ${path}`;
const createRoute = `POST ${path}`;
const deleteRoute = `DELETE ${path}`;

type Fetch = (request: Request) => Promise<Response>;

/** The three calls of openapi.yaml: what each answer means, and which call may be repeated when. */
export function createMappingsApi(options: MappingsApiOptions): MappingsApi {
  const { baseUrl, send, retrying, answerContext, scrub } = options;
  const api = createClient<paths>({ baseUrl, headers: { accept: 'application/json' } });
  const failure = (route: string, answer: HttpResponse) => errorOfAnswer(answer, answerContext(route));

  /**
   * openapi-fetch makes the request, by the contract's types, and gets an empty answer to be content with: the real
   * one is read here, bounded and checked.
   */
  const perform = async (
    route: string,
    signal: AbortSignal,
    build: (fetch: Fetch) => Promise<unknown>,
    fence?: Fence,
  ): Promise<HttpResponse> => {
    const answers: HttpResponse[] = [];
    await build(async (request) => {
      answers.push(await send(route, { ...(await wireRequest(request)), fence }, signal));
      return new Response(null, { status: 204 });
    });
    const [answer] = answers;
    if (answer === undefined) throw new ProviderError('bug', `${route} was never sent`);
    return answer;
  };

  const list = async (serviceInstanceID: string, signal: AbortSignal): Promise<MappingList> => {
    const params = { path: { serviceInstanceID } };
    const answer = await perform(listRoute, signal, (fetch) => api.GET(path, { params, fetch }));
    if (isOwnNotFound(answer)) {
      return { state: 'not-found', mappings: [], message: failure(listRoute, answer).message };
    }
    if (answer.status !== 200) throw failure(listRoute, answer);
    const parsed = parseMappingList(answer.body);
    if ('difference' in parsed) throw contractError(listRoute, parsed.difference);
    return { state: 'listed', mappings: parsed.mappings };
  };

  return {
    listMappings: async (serviceInstanceID, { signal }) => {
      const doing = `list the mappings of instance ${serviceInstanceID}`;
      try {
        assertPathSegment(serviceInstanceID);
        return await retrying(signal, mayPass, () => list(serviceInstanceID, signal));
      } catch (error) {
        throw errorOfCall(error, { doing, signal, scrub });
      }
    },

    createMapping: async (serviceInstanceID, mapping, { signal, fence }) => {
      const { platform, primaryID, secondaryID, isDefault } = mapping;
      const doing = `create a mapping of instance ${serviceInstanceID}`;
      const params = { path: { serviceInstanceID } };
      const body = { platform, primaryID, ...(secondaryID === undefined ? {} : { secondaryID }), isDefault };
      try {
        assertPathSegment(serviceInstanceID);
        const answer = await retrying(signal, neverLeft, () =>
          perform(createRoute, signal, (fetch) => api.POST(path, { params, body, fetch }), fence),
        );
        if (isSuccess(answer)) return 'created';
        if (answer.status === 409) return 'exists';
        const error = failure(createRoute, answer);
        if (!isOwnNotFound(answer) || !(error instanceof HanaApiError)) throw error;
        const { status, route, code } = error;
        throw new UnknownInstanceError(error.message, { kind: 'not-found', status, route, code });
      } catch (error) {
        throw errorOfCall(error, { doing, signal, scrub, unrepeatable: createRoute });
      }
    },

    deleteMapping: async (serviceInstanceID, { primaryID, secondaryID }, { signal, fence }) => {
      const doing = `delete a mapping of instance ${serviceInstanceID}`;
      const query = { primaryID, ...(secondaryID === undefined ? {} : { secondaryID }) };
      const params = { path: { serviceInstanceID }, query };
      try {
        assertPathSegment(serviceInstanceID);
        return await retrying(signal, mayPass, async () => {
          const ask = (fetch: Fetch) => api.DELETE(path, { params, fetch });
          const answer = await perform(deleteRoute, signal, ask, fence);
          if (isSuccess(answer)) return 'deleted';
          if (isOwnNotFound(answer)) return 'gone';
          throw failure(deleteRoute, answer);
        });
      } catch (error) {
        throw errorOfCall(error, { doing, signal, scrub });
      }
    },
  };
}

const isSuccess = ({ status }: HttpResponse) => status >= 200 && status < 300;

const neverLeft = (error: unknown) => error instanceof NoAnswerError && !error.sent && mayPass(error);

/** Of an instance's ID, which is a UUID. */
const MAX_ID = 512;

/** Encoding makes any ID one segment of a path, but for those that no encoding keeps from being a way up. */
export function assertPathSegment(serviceInstanceID: string): void {
  const { length } = serviceInstanceID;
  if (length > MAX_ID) {
    throw new ProviderError('terminal', `a text of ${length} characters cannot be the ID of an instance`);
  }
  if (!['', '.', '..'].includes(serviceInstanceID) && serviceInstanceID.isWellFormed()) return;
  throw new ProviderError('terminal', `${JSON.stringify(serviceInstanceID)} cannot be the ID of an instance`);
}

async function wireRequest(request: Request): Promise<HttpRequest> {
  const { method, url } = request;
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE') {
    throw new ProviderError('bug', `${method} is no call of this API`);
  }
  const headers = Object.fromEntries(request.headers);
  const body = await request.text();
  return { method, url: new URL(url), headers, ...(body === '' ? {} : { body }) };
}
