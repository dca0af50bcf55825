/** Cookies of the page, which a browser sends also when another site makes it send a request. */
import { expect, test } from '@jest/globals';
import { cookieIn, SESSION, sessionAuthorization } from './page-cookie.ts';

test.each([
  ['same-origin', 'Bearer token'],
  ['same-site', undefined],
  ['cross-site', undefined],
  ['none', undefined],
])('the session of a request from %s', (site, want) => {
  expect(sessionAuthorization({ cookie: `other=1; ${SESSION}=token`, site })).toBe(want);
});

test('a session of a browser that names no site is refused with the addresses by which it would', () => {
  const session = () => sessionAuthorization({ cookie: `${SESSION}=token`, site: undefined });
  expect(session).toThrow(
    'the browser does not say which site the request is from (Sec-Fetch-Site): open the page by https or localhost',
  );
  expect(session).toThrow(expect.objectContaining({ status: 401 }));
  expect(sessionAuthorization({ cookie: 'other=1', site: undefined })).toBeUndefined();
});

test.each([
  ['a=1; b=2', '2'],
  ['b=2', '2'],
  ['ab=2', undefined],
  ['b=', undefined],
  ['b="2"', undefined],
  [undefined, undefined],
])('the cookie b in %j', (header, want) => {
  expect(cookieIn(header, 'b')).toBe(want);
});
