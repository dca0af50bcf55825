import { expect, test } from '@jest/globals';
import { ThrottledError, WaitingError } from '../../base/errors/errors.ts';
import { errorOfCall, isRetryable, isRetryableUnsent, NoResponseError, ResponseError } from './errors.ts';

test.each<[string, boolean, boolean, boolean, boolean]>([
  ['timeout', true, false, true, false],
  ['connect_timeout', false, false, true, true],
  ['error', true, false, true, false],
  ['dns', false, false, true, true],
  ['aborted', false, true, false, false],
  // Until the certificate, or the external resource, is another.
  ['tls', false, false, false, false],
  ['oversized', true, false, false, false],
])('no response (%s, sent: %j, aborted: %j) is repeated: %j, also an unrepeatable request: %j', (...row) => {
  const [code, sent, aborted, repeated, unsent] = row;
  const error = new NoResponseError('no response', { code, sent, aborted });
  expect([isRetryable(error), isRetryableUnsent(error)]).toEqual([repeated, unsent]);
});

test.each([
  { status: 500, kind: 'transient', repeated: true },
  { status: 408, kind: 'transient', repeated: true },
  { status: 404, kind: 'transient', repeated: true },
  { status: 404, kind: 'not-found', repeated: false },
  { status: 409, kind: 'transient', repeated: false },
] as const)('a response $status of kind $kind is repeated: $repeated', ({ status, kind, repeated }) => {
  const error = new ResponseError('no', { status, kind, route: 'GET /buckets' });
  expect([isRetryable(error), isRetryableUnsent(error)]).toEqual([repeated, false]);
});

test.each([
  ['throttled', new ThrottledError('slow down', 7000)],
  ['no error of HTTP', new Error('bug')],
])('%s is left to the caller', (_, error) => {
  expect(isRetryable(error)).toBe(false);
});

const call = { doing: 'get the bucket', scrub: (text: string) => text.replaceAll('hunter2', '[redacted]') };

test('an abort ends in its own reason only what it ended', () => {
  const signal = AbortSignal.abort(new Error('shutdown'));
  const refused = new ResponseError('no', { status: 403, kind: 'auth', route: 'GET /buckets' });
  expect(errorOfCall(refused, { ...call, signal })).toMatchObject({ status: 403, kind: 'auth' });
  expect(errorOfCall(new Error('socket closed'), { ...call, signal })).toBe(signal.reason);
});

test('a lost response keeps the reason of the abort', () => {
  const signal = AbortSignal.abort(new Error('shutdown'));
  const cause: unknown = signal.reason;
  const error = new NoResponseError('no response', { code: 'aborted', sent: true, aborted: true, cause });
  expect(errorOfCall(error, { ...call, signal, unrepeatable: 'POST /buckets' })).toMatchObject({ cause });
});

test.each([
  { of: 'the unrepeatable request', route: 'POST /buckets', lost: true },
  { of: 'another request of the call', route: 'GET /buckets', lost: false },
])('a gateway error of $of makes the effect unknown: $lost', ({ route, lost }) => {
  const error = new ResponseError('bad gateway', { status: 502, kind: 'transient', route });
  const { signal } = new AbortController();
  const own = errorOfCall(error, { ...call, signal, unrepeatable: 'POST /buckets' }) as Error;
  expect(own.message.includes('it may have taken effect')).toBe(lost);
});

test('a waiting error stays one, with its retry', () => {
  const error = new WaitingError('a Secret is missing', { retry: true });
  const { signal } = new AbortController();
  expect(errorOfCall(error, { ...call, signal })).toMatchObject({
    kind: 'waiting',
    retry: true,
    message: 'cannot get the bucket: a Secret is missing',
  });
});

test('the stack of a bug is redacted as its message', () => {
  const { signal } = new AbortController();
  const own = errorOfCall(new Error('bug with hunter2'), { ...call, signal }) as Error;
  expect(`${own.message} ${own.stack}`).not.toContain('hunter2');
  expect(own.stack).toContain('errors.test.ts');
});
