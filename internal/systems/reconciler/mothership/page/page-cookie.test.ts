/** Cookies of the page, which a browser sends also when another site makes it send a request. */
import { expect, test } from '@jest/globals';
import { cookieIn, SESSION, sessionAuthorization } from './page-cookie.ts';

test.each([
  ['same-origin', 'Bearer token'],
  ['same-site', undefined],
  ['cross-site', undefined],
  ['none', undefined],
  [undefined, undefined],
])('the session of a request from %s', (site, want) => {
  expect(sessionAuthorization({ cookie: `other=1; ${SESSION}=token`, site })).toBe(want);
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
