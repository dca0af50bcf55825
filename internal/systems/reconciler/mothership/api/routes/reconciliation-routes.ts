import type { Reconciliations } from '../../model/reconciliation.ts';
import { RefusedError } from '../../model/refused-error.ts';
import { ApiError, type ApiRequest, type Route } from '../api-request.ts';
import { bodyFields } from '../read-bodies.ts';
import { reconciliationInfo, reconciliationShape, withinBytes } from '../shapes.ts';
import { limit, required, statuses, time } from './parameters.ts';

export interface ReconciliationRoutesOptions {
  readonly reconciliations: Reconciliations;
  /** Whether operations may be debugged: the variable DEBUG_LOGGING_FOR_SPECIFIC_OPERATIONS. */
  readonly allowsDebug: boolean;
}

/** Entries of a list of reconciliations, about 250 bytes each. */
const LIST = { fallback: 1000, max: 10_000 };
const MAX_LIST_BYTES = 4 * 1024 * 1024;

export function reconciliationRoutes(options: ReconciliationRoutesOptions): readonly Route[] {
  const { reconciliations, allowsDebug } = options;

  const list = async (request: ApiRequest) => {
    const createdBefore = time(request, 'before');
    const createdAfter = time(request, 'after');
    const runtimeIds = request.parameters('runtimeID');
    const found = await reconciliations.list({
      ...(runtimeIds.length === 0 ? {} : { runtimeIds }),
      ...withStatuses(request),
      ...(createdBefore === undefined ? {} : { createdBefore }),
      ...(createdAfter === undefined ? {} : { createdAfter }),
      limit: limit(request, 'last', LIST),
    });
    return { body: withinBytes(found.map(reconciliationShape), MAX_LIST_BYTES) };
  };
  const info = async (request: ApiRequest) => ({
    body: reconciliationInfo(await reconciliations.get(required(request, 'schedulingID'))),
  });
  const purge = async (request: ApiRequest) => {
    await reconciliations.purge(required(request, 'runtimeID'));
    return {};
  };
  const debug = async (request: ApiRequest) => {
    if (!allowsDebug) {
      throw new ApiError(500, 'debug is off: set DEBUG_LOGGING_FOR_SPECIFIC_OPERATIONS to true');
    }
    const correlationId = request.parameter('correlationID');
    await answering({ final: 500, 'not-new': 500 }, () =>
      reconciliations.debug(required(request, 'schedulingID'), correlationId),
    );
    return {};
  };
  const stop = async (request: ApiRequest) => {
    const reason = bodyFields(request.body()).requiredText('reason');
    await answering({ final: 403, 'not-new': 403 }, () =>
      reconciliations.stop(required(request, 'schedulingID'), required(request, 'correlationID'), reason),
    );
    return {};
  };

  return [
    { method: 'GET', path: '/reconciliations', access: 'viewer', handle: list },
    { method: 'GET', path: '/reconciliations/:schedulingID/info', access: 'viewer', handle: info },
    {
      method: 'DELETE',
      path: '/reconciliations/cluster/:runtimeID',
      access: 'admin',
      audited: true,
      handle: purge,
    },
    {
      method: 'PUT',
      path: '/reconciliations/:schedulingID/debug',
      access: 'admin',
      audited: true,
      handle: debug,
    },
    {
      method: 'PUT',
      path: '/operations/:schedulingID/:correlationID/debug',
      access: 'admin',
      audited: true,
      handle: debug,
    },
    {
      method: 'POST',
      path: '/operations/:schedulingID/:correlationID/stop',
      access: 'admin',
      audited: true,
      handle: stop,
    },
  ];
}

function withStatuses(request: ApiRequest) {
  const wanted = statuses(request, 'status');
  return wanted.length === 0 ? {} : { statuses: wanted };
}

/** Statuses that a route has for refusals in place of the usual ones. */
export async function answering<T>(
  codes: Partial<Record<RefusedError['refusal'], number>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof RefusedError ? codes[error.refusal] : undefined;
    if (code === undefined || !(error instanceof RefusedError)) throw error;
    throw new ApiError(code, error.message, { cause: error });
  }
}
