import { describe, expect, test } from '@jest/globals';
import { describeNetworkFailure } from './network-failure.ts';

const failure = (message: string, code?: string, more: object = {}) =>
  Object.assign(new Error(message), code === undefined ? {} : { code }, more);

describe('what a failure of the network means', () => {
  test.each<[string, unknown, unreachable: boolean, stale: boolean]>([
    ['nobody listens', failure('connect ECONNREFUSED', 'ECONNREFUSED'), true, false],
    ['the name is unknown', failure('getaddrinfo ENOTFOUND x', 'ENOTFOUND'), true, false],
    ['a kept connection was closed', failure('other side closed', 'UND_ERR_SOCKET'), true, true],
    ['a reset', failure('read ECONNRESET', 'ECONNRESET'), true, true],
    ['wrapped', new TypeError('fetch failed', { cause: failure('write EPIPE', 'EPIPE') }), true, true],
    ['an unknown authority', failure('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), false, false],
    ['an expired certificate', failure('certificate has expired', 'CERT_HAS_EXPIRED'), false, false],
    ['another name', failure('altnames', 'ERR_TLS_CERT_ALTNAME_INVALID'), false, false],
    ['no TLS at all', failure('wrong version number', 'ERR_SSL_WRONG_VERSION_NUMBER'), false, false],
    ['anything else', 'boom', true, false],
  ])('%s', (_what, error, unreachable, staleConnection) => {
    expect(describeNetworkFailure(error)).toMatchObject({ unreachable, staleConnection });
  });
});

test('several addresses that failed are told once each, since their sum has no text of its own', () => {
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
  const { text } = describeNetworkFailure(failure(`a\n${'b'.repeat(1000)}`));
  expect(text).toMatch(/^a b+…$/);
  expect(text.length).toBeLessThanOrEqual(300);
});
