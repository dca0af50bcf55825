import { describe, expect, test } from '@jest/globals';
import { kindOf, ProviderError, wrap } from '../../base/errors/errors.ts';
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isNotFound,
  isUnauthorized,
  isUnknownKind,
  isUnreachable,
  KubeApiError,
  parseApiStatus,
  UnreachableError,
} from './errors.ts';

const attempt = { verb: 'get', object: 'Secret shop/hana-admin', clusterName: 'cluster kyma-1' };

/** The error for an answer with a Status body, as API servers write it. */
function answered(code: number, reason: string, more: object = {}): KubeApiError {
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, ...more });
  return new KubeApiError(attempt, { httpStatus: code, status: parseApiStatus(body) });
}

describe('the kind decides what a reconcile does next', () => {
  const cases: readonly [KubeApiError, kind: string, reason: string][] = [
    [answered(401, 'Unauthorized'), 'auth', 'credentials were refused'],
    [answered(403, 'Forbidden'), 'auth', 'rights are missing'],
    [answered(404, 'NotFound'), 'not-found', 'callers handle it'],
    [answered(409, 'Conflict'), 'conflict', 'a newer version exists: retried silently'],
    [answered(409, 'AlreadyExists'), 'transient', 'repeating a create silently would hide the other object'],
    [answered(410, 'Expired'), 'transient', 'a new list is needed'],
    [answered(422, 'Invalid'), 'terminal', 'the same object stays invalid'],
    [answered(413, 'RequestEntityTooLarge'), 'terminal', 'the same object stays too large'],
    [answered(400, 'BadRequest'), 'transient', 'admission webhooks answer 400, and policies change'],
    [answered(429, 'TooManyRequests'), 'throttled', 'the server asks for patience'],
    [answered(503, 'ServiceUnavailable'), 'transient', 'no time was named'],
    [answered(500, 'ServerTimeout', { details: { retryAfterSeconds: 2 } }), 'throttled', 'a time was named'],
  ];
  test.each(cases)('%s is %s: %s', (error, kind) => {
    expect(kindOf(error)).toBe(kind);
  });
});

describe('patience', () => {
  test('the header counts before the body, and a throttling server that names none means a second', () => {
    const status = parseApiStatus('{"kind":"Status","code":429,"details":{"retryAfterSeconds":7}}');
    expect(new KubeApiError(attempt, { httpStatus: 429, status, retryAfterMs: 3000 }).retryAfterMs).toBe(
      3000,
    );
    expect(new KubeApiError(attempt, { httpStatus: 429, status }).retryAfterMs).toBe(7000);
    expect(new KubeApiError(attempt, { httpStatus: 429 }).retryAfterMs).toBe(1000);
  });

  test('survives being wrapped, since the outermost error is what the queue sees', () => {
    expect(wrap(answered(429, 'TooManyRequests'), 'connect failed').retryAfterMs).toBe(1000);
  });
});

test('of very many causes the first are read: the server of a tenant may send them', () => {
  const causes = Array.from({ length: 4000 }, (_, n) => ({ message: `cause ${n}` }));
  expect(answered(422, 'Invalid', { details: { causes } }).details?.causes).toEqual(causes.slice(0, 50));
});

describe('the text', () => {
  test('names verb, object and cluster, and then the server’s words', () => {
    const error = answered(404, 'NotFound', {
      message: 'secrets "hana-admin" not found',
      details: { name: 'hana-admin' },
    });
    expect(error.message).toBe(
      'cannot get Secret shop/hana-admin on cluster kyma-1: secrets "hana-admin" not found',
    );
  });

  test('says that an object of the name of a reference cannot exist', () => {
    const details = { name: 'Orders_Secret', kind: 'secrets' };
    const error = answered(404, 'NotFound', { message: 'secrets "Orders_Secret" not found', details });
    expect(error.message).toContain('not found: "Orders_Secret" cannot be the name of an object, which has');
    const role = { name: 'system:node', group: 'rbac.authorization.k8s.io' };
    expect(answered(404, 'NotFound', { message: 'gone', details: role }).message).toMatch(/: gone$/);
  });

  test('is one line of bounded length, since it goes into conditions and events', () => {
    const error = answered(422, 'Invalid', { message: `first\nsecond ${'x'.repeat(5000)}` });
    expect(error.message).not.toContain('\n');
    expect(error.message.length).toBeLessThan(1200);
  });

  test('does not show what a proxy wrote', () => {
    const error = new KubeApiError(attempt, { httpStatus: 502 });
    expect(error.message).toMatch(/HTTP status 502 from something that is not an API server$/);
  });

  test('says that a kind is not served where the server knows no better words', () => {
    expect(new KubeApiError(attempt, { httpStatus: 404 }).message).toMatch(
      /does not serve this kind of object$/,
    );
  });
});

describe('helpers see through wrapping and tell neighbours apart', () => {
  const wrapped = (error: unknown) => wrap(error, 'observe failed');
  const cases: readonly [name: string, helper: (error: unknown) => boolean, yes: unknown, no: unknown][] = [
    ['isNotFound', isNotFound, answered(404, 'NotFound'), answered(410, 'Gone')],
    ['isConflict', isConflict, answered(409, 'Conflict'), answered(409, 'AlreadyExists')],
    ['isAlreadyExists', isAlreadyExists, answered(409, 'AlreadyExists'), answered(409, 'Conflict')],
    ['isForbidden', isForbidden, answered(403, 'Forbidden'), answered(401, 'Unauthorized')],
    ['isUnauthorized', isUnauthorized, answered(401, 'Unauthorized'), answered(403, 'Forbidden')],
    ['isGone', isGone, answered(410, 'Expired'), answered(404, 'NotFound')],
    [
      'isUnknownKind',
      isUnknownKind,
      answered(404, 'NotFound'),
      answered(404, 'NotFound', { details: { name: 'x' } }),
    ],
    [
      'isUnreachable',
      isUnreachable,
      new UnreachableError(attempt, 'refused'),
      new ProviderError('transient', 'x'),
    ],
    [
      'isUnreachable',
      isUnreachable,
      new KubeApiError(attempt, { httpStatus: 502 }),
      answered(503, 'ServiceUnavailable'),
    ],
  ];
  test.each(cases)('%s', (_name, helper, yes, no) => {
    expect(helper(yes)).toBe(true);
    expect(helper(wrapped(yes))).toBe(true);
    expect(helper(no)).toBe(false);
    expect(helper(new Error('404'))).toBe(false);
  });
});

test('a Status with fields of wrong types is read as far as it goes', () => {
  const body =
    '{"kind":"Status","message":7,"details":{"name":{},"retryAfterSeconds":"3","causes":[null,{"field":"spec"}]}}';
  expect(parseApiStatus(body)).toEqual({
    message: '',
    reason: '',
    code: undefined,
    details: { causes: [{}, { field: 'spec' }] },
  });
  expect(parseApiStatus('404 page not found')).toBeUndefined();
  expect(parseApiStatus('{"kind":"Secret"}')).toBeUndefined();
});
