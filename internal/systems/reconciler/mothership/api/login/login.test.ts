import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, SignJWT } from 'jose';
import { type Loopback, listenOnLoopback } from '../../../../../framework/base/loopback.fixture.ts';
import { nopLogger } from '../../../../../framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../../../framework/base/time/clock.ts';
import { missingRole } from '../api-request.ts';
import { type Issuer, type Login, openIssuer, openLogin } from './login.ts';
import { createOidcLogin } from './oidc-login.ts';

const { signal } = new AbortController();

describe('without login', () => {
  const encoded = (claims: unknown) => Buffer.from(JSON.stringify(claims)).toString('base64url');
  const user = (believesXJwt: boolean, xJwt: string | undefined) =>
    openLogin({ believesXJwt }).identify({ authorization: undefined, xJwt }, signal);

  test.each([
    { what: 'no header', believes: true, xJwt: undefined, want: undefined },
    { what: 'a user', believes: true, xJwt: encoded({ sub: 'me@example.org' }), want: 'me@example.org' },
    { what: 'claims without a user', believes: true, xJwt: encoded({ aud: 'x' }), want: undefined },
    {
      what: 'a user, where any program of the machine may write it',
      believes: false,
      xJwt: encoded({ sub: 'me' }),
      want: undefined,
    },
  ])('$what: $want', async ({ believes, xJwt, want }) => {
    expect((await user(believes, xJwt)).user).toBe(want);
  });

  test.each(['e30=', 'no-json', encoded(null), ''.padEnd(3, '.')])(
    '%s is answered with 500',
    async (xJwt) => {
      await expect(user(true, xJwt)).rejects.toMatchObject({ status: 500 });
    },
  );
});

describe('tokens of an issuer', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let server: Loopback;
  let issuer: string;
  let login: Login;
  let requestsOf: Issuer;
  let requests = 0;
  /** What the server answers in place of its documents; undefined: nothing. */
  let outage: { readonly status: number; readonly body: string } | undefined;
  beforeAll(async () => {
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
    const listener = createServer((request, response) => {
      requests++;
      const pages: Record<string, unknown> = {
        '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
        '/keys': { keys: [jwk] },
      };
      response.statusCode = outage?.status ?? 200;
      response.end(outage?.body ?? JSON.stringify(pages[request.url ?? ''] ?? {}));
    });
    server = await listenOnLoopback(listener);
    issuer = server.url;
    requestsOf = openIssuer({ clock: systemClock, env: {} });
    login = openOidc(issuer);
  });
  afterAll(async () => {
    await requestsOf.close();
    await server.close();
  });
  const openOidc = (
    from: string,
    clock = systemClock,
    sending?: Pick<Issuer, 'send'>,
    groupsClaim = 'groups',
  ) =>
    createOidcLogin({
      clock,
      log: nopLogger,
      requests: sending ?? requestsOf,
      issuer: from,
      audience: 'mothership',
      usernameClaim: 'email',
      groupsClaim,
      groups: { viewer: 'v', operator: 'o', admin: 'a' },
    });
  const token = (claims: object, { key = privateKey, kid = 'one', aud = 'mothership', exp = '1h' } = {}) => {
    const jwt = new SignJWT({ email: 'me@example.org', ...claims })
      .setProtectedHeader({ alg: 'RS256', ...(kid === '' ? {} : { kid }) })
      .setIssuer(issuer)
      .setAudience(aud);
    return (exp === '' ? jwt : jwt.setExpirationTime(exp)).sign(key);
  };
  const identify = (text: string, by = login) =>
    by.identify({ authorization: `Bearer ${text}`, xJwt: undefined }, signal);

  test.each([
    { groups: ['v'], roles: ['viewer'] },
    { groups: ['o', 'x'], roles: ['operator', 'viewer'] },
    // AD FS gives one group as a text. Names of groups may have spaces.
    { groups: 'a', roles: ['admin', 'component', 'operator', 'viewer'] },
    { groups: 'a x', roles: [] },
    { groups: [], roles: [] },
    { groups: 7, roles: [] },
  ])('groups $groups give the roles $roles', async ({ groups, roles }) => {
    const caller = await identify(await token({ groups }));
    expect({ user: caller.user, roles: [...caller.roles].sort() }).toEqual({ user: 'me@example.org', roles });
  });

  test.each(['scope', 'scp'])('the claim %s has texts with spaces between', async (claim) => {
    const scopes = openOidc(issuer, systemClock, undefined, claim);
    const caller = await identify(await token({ [claim]: 'openid v x' }), scopes);
    expect([...caller.roles]).toEqual(['viewer']);
  });

  test.each([
    { what: 'has no groups', claims: {}, message: 'the token has no claim groups (--oidc-groups-claim)' },
    {
      what: 'has groups elsewhere',
      claims: { _claim_names: { groups: 'src1' } },
      message: 'the user has more groups than the issuer gives in a token',
    },
  ])('a client whose token $what is refused with the cause', async ({ claims, message }) => {
    expect(missingRole('viewer', await identify(await token(claims)))).toMatchObject({
      status: 403,
      message: expect.stringMatching(/^the role viewer is needed: /),
    });
    expect(missingRole('viewer', await identify(await token(claims))).message).toContain(message);
    const other = missingRole('viewer', await identify(await token({ groups: ['x'] })));
    expect(other.message).toBe('the role viewer is needed');
  });

  test('keys are read once for many tokens', async () => {
    const before = requests;
    for (let count = 0; count < 5; count++) await identify(await token({ groups: ['v'] }));
    expect(requests).toBe(before);
  });

  test.each([
    { what: 'no token', text: async () => '' },
    { what: 'no JWT', text: async () => 'token' },
    { what: 'another key', text: () => token({}, { key: other.privateKey }) },
    { what: 'an unknown key', text: () => token({}, { kid: 'two' }) },
    { what: 'another audience', text: () => token({}, { aud: 'other' }) },
    { what: 'the past', text: () => token({}, { exp: '-5m' }) },
    { what: 'no end', text: () => token({}, { exp: '' }) },
    {
      what: 'no signature',
      text: async () =>
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(`{"iss":"${issuer}","aud":"mothership","exp":9999999999}`).toString('base64url')}.`,
    },
  ])('a token of $what is refused with 401, without quoting it', async ({ text }) => {
    const sent = await text();
    const error = (await identify(sent).catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({ status: 401 });
    if (sent !== '' && sent !== 'token') expect(error.message).not.toContain(sent.slice(0, 20));
  });

  test.each([
    { what: 'does not answer', status: 502, body: 'bad gateway' },
    { what: 'answers with an error in JSON', status: 503, body: '{"keys":[]}' },
    { what: 'answers with a page of a gateway', status: 200, body: '<html></html>' },
  ])('keys that were read count for a day while the issuer $what', async ({ status, body }) => {
    let now = 0;
    const own = openOidc(issuer, { ...systemClock, monotonic: () => now });
    const accepted = await token({ groups: ['v'] });
    await identify(accepted, own);
    const { now: dateNow } = Date;
    // The library of tokens reads the time itself.
    Date.now = () => dateNow() + now;
    outage = { status, body };
    try {
      const before = requests;
      now = 11 * 60_000;
      await identify(accepted, own);
      expect(requests).toBeGreaterThan(before);
      now = 86_500_000;
      await expect(identify(await token({ groups: ['v'] }), own)).rejects.toMatchObject({ status: 503 });
    } finally {
      Date.now = dateNow;
      outage = undefined;
    }
  });

  test('a token that names no key is checked with each of the issuer, as while a new one is announced', async () => {
    const keys = [await exportJWK(other.publicKey), await exportJWK(publicKey)];
    const rotating = openOidc(issuer, systemClock, {
      send: (url, request) =>
        url.pathname === '/keys' ? Promise.resolve(Response.json({ keys })) : requestsOf.send(url, request),
    });
    const { roles } = await identify(await token({ groups: ['v'] }, { kid: '' }), rotating);
    expect([...roles]).toEqual(['viewer']);
    const { privateKey: unknown } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const refused = [token({}, { kid: '', key: unknown }), token({}, { kid: '', exp: '-5m' })];
    for (const text of await Promise.all(refused))
      await expect(identify(text, rotating)).rejects.toMatchObject({ status: 401 });
  });

  test('an answer without keys is no reason to refuse a token for good', async () => {
    const noKeys = openOidc(issuer, systemClock, {
      send: (url, request) =>
        url.pathname === '/keys' ? Promise.resolve(Response.json({})) : requestsOf.send(url, request),
    });
    await expect(identify(await token({}), noKeys)).rejects.toMatchObject({ status: 503 });
  });

  test.each(['https://issuer.example', 'https://issuer.example/', 'https://issuer.example/realms/a/'])(
    'the document of %s is below it',
    async (from) => {
      const asked: string[] = [];
      const send = async (url: URL) => {
        asked.push(url.href);
        throw new Error('away');
      };
      await expect(identify('token', openOidc(from, systemClock, { send }))).rejects.toMatchObject({
        status: 503,
      });
      expect(asked).toEqual([`${from.replace(/\/$/, '')}/.well-known/openid-configuration`]);
    },
  );

  test('an issuer that cannot be reached is no reason to refuse a token for good', async () => {
    const unreachable = openOidc('http://127.0.0.1:1');
    await expect(identify(await token({}), unreachable)).rejects.toMatchObject({ status: 503 });
  });

  test('a document that names another issuer gives no keys', async () => {
    const alias = openOidc(issuer.replace('127.0.0.1', 'localhost'));
    await expect(identify(await token({}), alias)).rejects.toMatchObject({
      status: 503,
      cause: expect.objectContaining({ message: expect.stringContaining('one of another issuer') }),
    });
  });
});
