import { describe, expect, test } from '@jest/globals';
import { describeNetworkFailure, type NetworkFailureCode } from './network-failure.ts';

const failure = (message: string, code?: string, more: object = {}) =>
  Object.assign(new Error(message), code === undefined ? {} : { code }, more);

describe('the code of a network failure', () => {
  test.each<[reason: string, error: unknown, code: NetworkFailureCode]>([
    ['nothing listens', failure('connect ECONNREFUSED', 'ECONNREFUSED'), 'connection_refused'],
    ['the name is unknown', failure('getaddrinfo ENOTFOUND x', 'ENOTFOUND'), 'name_resolution'],
    ['the name cannot be resolved now', failure('getaddrinfo EAI_AGAIN x', 'EAI_AGAIN'), 'name_resolution'],
    ['no connection in time', failure('Connect Timeout Error', 'UND_ERR_CONNECT_TIMEOUT'), 'connect_timeout'],
    ['no connection in time, by the kernel', failure('connect', 'ETIMEDOUT'), 'connect_timeout'],
    [
      'a proxy that is silent',
      failure('Headers Timeout Error', 'UND_ERR_HEADERS_TIMEOUT'),
      'connect_timeout',
    ],
    ['a kept connection was closed', failure('other side closed', 'UND_ERR_SOCKET'), 'connection_reset'],
    ['a reset', failure('read ECONNRESET', 'ECONNRESET'), 'connection_reset'],
    [
      'wrapped',
      new TypeError('fetch failed', { cause: failure('write EPIPE', 'EPIPE') }),
      'connection_reset',
    ],
    ['a proxy that refuses', failure('Proxy response (407)', 'UND_ERR_ABORTED'), 'proxy'],
    ['an unknown authority', failure('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls'],
    ['an expired certificate', failure('certificate has expired', 'CERT_HAS_EXPIRED'), 'tls'],
    ['another name', failure('altnames', 'ERR_TLS_CERT_ALTNAME_INVALID'), 'tls'],
    ['an authority that is none', failure('invalid CA certificate', 'INVALID_CA'), 'tls'],
    ['no TLS at all', failure('wrong version number', 'ERR_SSL_WRONG_VERSION_NUMBER'), 'tls'],
    [
      'of several addresses the first counts',
      { errors: [failure('x', 'ECONNREFUSED')] },
      'connection_refused',
    ],
    ['a code that is no text', failure('boom', undefined, { code: 7 }), 'error'],
    ['anything else', 'boom', 'error'],
    ['nothing', undefined, 'error'],
  ])('%s', (_reason, error, code) => {
    expect(describeNetworkFailure(error)).toMatchObject({ code, text: expect.any(String) });
  });

  test('an error that is its own cause is read once', () => {
    const error: Error = failure('boom');
    error.cause = error;
    expect(describeNetworkFailure(error)).toEqual({ code: 'error', text: 'boom' });
  });
});

test.each([
  ['ENOTFOUND', 'a.example', 'a.example'],
  ['EAI_AGAIN', 'a.example', undefined],
  ['ENOTFOUND', 7, undefined],
])('after %s of the host %p the missing host is %p', (code, hostname, expected) => {
  const error = new TypeError('fetch failed', { cause: failure('getaddrinfo', code, { hostname }) });
  expect(describeNetworkFailure(error).missingHost).toBe(expected);
});

test('of several addresses each failure is named once, since an AggregateError has no text of its own', () => {
  const errors = [
    'connect ECONNREFUSED ::1:6443',
    'connect ECONNREFUSED 127.0.0.1:6443',
    'connect ECONNREFUSED ::1:6443',
  ];
  const error = Object.assign(new AggregateError(errors.map((text) => failure(text))), {
    code: 'ECONNREFUSED',
  });
  expect(describeNetworkFailure(error).text).toBe(`${errors[0]}; ${errors[1]}`);
});

test('the text is one line of bounded length', () => {
  const { text } = describeNetworkFailure(failure(`a\n${'b'.repeat(5000)}`));
  expect(text).toMatch(/^a b+…$/);
  expect(text.length).toBeLessThanOrEqual(1024);
});

test('the text has no advice about the start of Node', () => {
  const text =
    'self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca';
  expect(describeNetworkFailure(failure(text, 'DEPTH_ZERO_SELF_SIGNED_CERT')).text).toBe(
    'self-signed certificate',
  );
});
