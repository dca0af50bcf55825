import { ReadOnlyError } from '../../base/concurrency/fence.ts';
import type { Transport, TransportRequest } from './transport.ts';

/**
 * A transport that cannot change anything on its API server. It sends reads, dry runs (exactly one `dryRun=All`), which the
 * API server does not store, and reviews of access and of the own user, which are not stored either. Every other request is refused before it
 * gets a connection.
 *
 * @throws ReadOnlyError from `call` and `open`
 */
export function createReadOnlyTransport(inner: Transport): Transport {
  const assertRead = (request: TransportRequest) => {
    if (isRead(request) || isDryRun(request) || isReview(request)) return;
    throw new ReadOnlyError(request.method, request.path.split('?', 1)[0] ?? '');
  };
  return {
    host: inner.host,
    call: async (request, maxBytes) => {
      assertRead(request);
      return inner.call(request, maxBytes);
    },
    open: async (request) => {
      assertRead(request);
      return inner.open(request);
    },
    close: () => inner.close(),
  };
}

const isRead = ({ method }: TransportRequest): boolean => method === 'GET';

/** Exact paths, without a query. */
const reviews = new Set([
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
]);

const isReview = ({ method, path }: TransportRequest): boolean => method === 'POST' && reviews.has(path);

/** Exactly one value, since the API server uses the first of several. */
function isDryRun({ path }: TransportRequest): boolean {
  const query = path.split('?').slice(1).join('?');
  const values = new URLSearchParams(query).getAll('dryRun');
  return values.length === 1 && values[0] === 'All';
}
