import { ReadOnlyError } from '../../base/read-only.ts';
import type { Transport, TransportRequest } from './transport.ts';

/**
 * A transport that can change nothing on its API server: whatever is not a read is refused before a connection is
 * asked for, whoever sends it. Of the other methods only dry runs pass, which the API server validates and completes
 * without storing anything, and of these only such as name no other `dryRun` beside `All`; and access reviews, which
 * are created to ask a question and are not stored.
 *
 * @throws ReadOnlyError from `call` and `open`
 */
export function createReadOnlyTransport(inner: Transport): Transport {
  const assertRead = (request: TransportRequest) => {
    if (isRead(request) || isDryRun(request) || isAccessReview(request)) return;
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

/** Exactly these: a path with a query or another version is none. */
const accessReviews = new Set(
  ['selfsubjectaccessreviews', 'subjectaccessreviews'].map((name) => `/apis/authorization.k8s.io/v1/${name}`),
);

const isAccessReview = ({ method, path }: TransportRequest): boolean =>
  method === 'POST' && accessReviews.has(path);

/** The API server takes the first of several values of a parameter; here there must be exactly one. */
function isDryRun({ path }: TransportRequest): boolean {
  const query = path.split('?').slice(1).join('?');
  const values = new URLSearchParams(query).getAll('dryRun');
  return values.length === 1 && values[0] === 'All';
}
