import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import type { HanaCloud } from '../../../internal/systems/inventory/hana-cloud/client.ts';
import { callOptions, hanaCloudOfFile, instance, mapping, parsed, thrownBy } from './set-up.ts';

const { simulator, closers, open } = hanaCloudOfFile();

type Form = 'fields' | 'json' | 'x509';

/** As a reconcile does: connect, list, close. */
async function reconcile(hana: HanaCloud, form: Form = 'fields', credentials?: Record<string, string>) {
  const client = hana.connect(parsed(credentials ?? (await simulator.credentials(instance))[form]));
  try {
    return await client.listMappings(instance, callOptions());
  } finally {
    await client.close();
  }
}

const count = (route: 'list' | 'token') => simulator.requests({ route }).length;

describe.each(['fields', 'x509'] as const)('a token (credentials in the form %s)', (form) => {
  test.each(['jwt', 'opaque'] as const)(
    'of any kind (%s) serves one reconcile after another',
    async (tokenFormat) => {
      simulator.settings.tokenFormat = tokenFormat;
      const hana = open();
      for (let i = 0; i < 3; i++) await reconcile(hana, form);
      expect(count('list')).toBe(3);
      expect(count('token')).toBe(1);
    },
  );

  test('is fetched once, however many need it at the same time', async () => {
    simulator.settings.latencyMs = 20;
    const hana = open();
    const client = hana.connect(parsed((await simulator.credentials(instance))[form]));
    closers.unshift(client.close);
    const create = (_: unknown, i: number) =>
      client.createMapping(instance, { ...mapping, secondaryID: `n-${i}` }, callOptions());
    await Promise.all(Array.from({ length: 20 }, create));
    expect(simulator.store.mappings(instance)).toHaveLength(20);
    expect(count('token')).toBe(1);
  });

  test('that was revoked is fetched once more, unnoticed', async () => {
    const hana = open();
    await reconcile(hana, form);
    simulator.store.revokeTokens();
    await expect(reconcile(hana, form)).resolves.toMatchObject({ state: 'listed' });
    expect(count('token')).toBe(2);
    expect(simulator.requests({ route: 'list', status: 401 })).toHaveLength(1);
  });

  test('whose credentials the token endpoint refuses is an error of kind auth, without another try', async () => {
    const hana = open();
    const credentials = (await simulator.credentials(instance))[form];
    await simulator.rotateCredentials(instance, { revokeOld: true });
    const error = await thrownBy(() => reconcile(hana, form, credentials));
    expect(error).toMatchObject({ kind: 'auth' });
    expect(error.message).toMatch(/^cannot list .*: POST \/oauth\/token answered 401: invalid_client: /);
    expect(count('token')).toBe(1);
  });

  test.each([
    { body: { error: 'invalid_client' }, kind: 'auth' },
    // Of a gateway.
    { body: { error: 'Bad Request' }, kind: 'transient' },
    { body: {}, kind: 'transient' },
  ])('that is answered with 400 and $body is an error of kind $kind', async ({ body, kind }) => {
    const hana = open();
    simulator.faults.add({ on: { route: 'token' }, do: { kind: 'status', status: 400, body } });
    expect(await thrownBy(() => reconcile(hana, form))).toMatchObject({ kind });
  });

  test('of rotated credentials is used at the next reconcile, and the old one no more', async () => {
    const hana = open();
    await reconcile(hana, form);
    const fresh = await simulator.rotateCredentials(instance, { revokeOld: true });
    await expect(reconcile(hana, form, fresh[form])).resolves.toMatchObject({ state: 'listed' });
    const clients = simulator.requests({ route: 'list' }).map(({ clientID }) => clientID);
    expect(new Set(clients).size).toBe(2);
    expect(simulator.requests({ status: 401 })).toEqual([]);
  });
});

test('401 on a create is repeated with a new token: it had no effect', async () => {
  const hana = open();
  await reconcile(hana);
  simulator.store.revokeTokens();
  const client = hana.connect(parsed((await simulator.credentials(instance)).fields));
  await expect(client.createMapping(instance, mapping, callOptions())).resolves.toBe('created');
  expect(simulator.store.mappings(instance)).toEqual([mapping]);
});

test('a token that is still good outlasts an outage of its endpoint, but not its own end', async () => {
  let skewMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skewMs };
  simulator.settings.tokenLifetimeSeconds = 1000;
  const hana = open({ clock });
  await reconcile(hana);
  simulator.faults.add({ on: { route: 'token' }, do: { kind: 'status', status: 500 } });
  skewMs = 850_000;
  await expect(reconcile(hana)).resolves.toMatchObject({ state: 'listed' });
  const attempts = count('token');
  await expect(reconcile(hana)).resolves.toMatchObject({ state: 'listed' });
  expect(count('token')).toBe(attempts);
  skewMs = 1_001_000;
  expect(await thrownBy(() => reconcile(hana))).toMatchObject({ kind: 'transient' });
});

test('a token without a lifetime is kept for a while', async () => {
  simulator.settings.omitTokenExpiry = true;
  const hana = open();
  await reconcile(hana);
  await reconcile(hana);
  expect(count('token')).toBe(1);
});

test('a token that is expired on arrival is an error that names the cause', async () => {
  const hana = open();
  simulator.faults.add({ on: { route: 'token' }, do: { kind: 'expired-token' } });
  expect(await thrownBy(() => reconcile(hana))).toMatchObject({ kind: 'auth', status: 401 });
});

test('different credentials never share a token, not even those that differ in the secret alone', async () => {
  const hana = open();
  const { fields } = await simulator.credentials(instance);
  await reconcile(hana);
  const uaa = { ...JSON.parse(fields.uaa ?? ''), clientsecret: 'another' };
  const error = await thrownBy(() => reconcile(hana, 'fields', { ...fields, uaa: JSON.stringify(uaa) }));
  expect(error).toMatchObject({ kind: 'auth' });
  expect(count('token')).toBe(2);
});

test('only equal credentials are recognized as equal', async () => {
  const hana = open();
  const { fields, json, x509 } = await simulator.credentials(instance);
  const ids = [fields, fields, json, x509].map((data) => hana.connect(parsed(data)).credentialsID);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).toBe(ids[0]);
  expect(ids[3]).not.toBe(ids[0]);
  expect(open().connect(parsed(fields)).credentialsID).not.toBe(ids[0]);
});

test('with the cache off a token is used by one client, for all of its calls', async () => {
  const hana = open({ cacheTokens: false });
  await reconcile(hana);
  const client = hana.connect(parsed((await simulator.credentials(instance)).fields));
  await client.listMappings(instance, callOptions());
  await client.listMappings(instance, callOptions());
  expect(count('token')).toBe(2);
});

test('checkToken requests a fresh token, past the cache, and returns its lifetime', async () => {
  const hana = open();
  await reconcile(hana);
  const client = hana.connect(parsed((await simulator.credentials(instance)).fields));
  await expect(client.checkToken(callOptions())).resolves.toEqual({ expiresInSeconds: 3600 });
  expect(count('token')).toBe(2);
  simulator.faults.add({ on: { route: 'token' }, do: { kind: 'router-404' } });
  const error = await thrownBy(() => client.checkToken(callOptions()));
  expect(error.message).toMatch(
    /^cannot get a token from https:\/\/127\.0\.0\.1:\d+\/oauth\/token: POST \/oauth\/token answered 404 \(not by the API/,
  );
});

describe('client ID and secret', () => {
  test.each([
    ['characters that form-encoding changes', 'sb-1!b2|y!b3', 's$c r=t/-_.~!*()'],
    ['characters that the two readings of Basic differ in', 'sb-1', '100%25+1'],
    ['a colon in the ID', 'sb:1', 'secret'],
    ['characters beyond ASCII', 'sb-ü', 'geheimnis-ß'],
  ])('with %s arrive as they are', async (_name, id, secret) => {
    simulator.store.addClient({ id, secret, instances: new Set([instance]) });
    const { fields } = await simulator.credentials(instance);
    const uaa = { ...JSON.parse(fields.uaa ?? ''), clientid: id, clientsecret: secret };
    await expect(reconcile(open(), 'fields', { ...fields, uaa: JSON.stringify(uaa) })).resolves.toMatchObject(
      { state: 'listed' },
    );
    expect(simulator.requests({ route: 'token' })).toMatchObject([{ clientID: id, status: 200 }]);
    simulator.store.removeClient(id);
  });
});

test('a token response without a JSON content type is accepted', async () => {
  const { fields } = await simulator.credentials(instance);
  const { clientid } = JSON.parse(fields.uaa ?? '');
  simulator.store.issueToken(clientid, Date.now() + 60_000, 'opaque-token');
  const body = JSON.stringify({ access_token: 'opaque-token', token_type: 'Bearer' });
  simulator.faults.add({ on: { route: 'token' }, do: { kind: 'status', status: 200, body } });
  await expect(reconcile(open())).resolves.toMatchObject({ state: 'listed' });
});

describe('a token response outside of its contract', () => {
  const answer = (body: unknown, status = 200) => ({ kind: 'status', status, body }) as const;
  test.each([
    ['no JSON', { kind: 'malformed' } as const, 'JSON'],
    ['no token in it', answer({ token_type: 'bearer' }), 'access_token'],
    ['no type in it', answer({ access_token: 'opaque-token' }), 'token_type'],
    ['a type that is not bearer', answer({ access_token: 'opaque-token', token_type: 'mac' }), 'token_type'],
    ['too long', { kind: 'oversized', bytes: 70_000 } as const, 'longer than 65536 bytes'],
    [
      'a token that no header can hold',
      answer({ access_token: `opaque-token${'x'.repeat(20_000)}`, token_type: 'bearer' }),
      'a token of more than 16384 characters',
    ],
    [
      'a token with a line break',
      answer({ access_token: 'opaque-token\r\nx-more: 1', token_type: 'bearer' }),
      'a token with characters that no header can hold',
    ],
    [
      'a redirect',
      { kind: 'redirect', location: 'https://login.example.com/' } as const,
      'login.example.com',
    ],
  ])('(%s) is an error that names the route, and never the token', async (_name, action, says) => {
    simulator.faults.add({ on: { route: 'token' }, do: action });
    const error = await thrownBy(() => reconcile(open()));
    expect(error).toMatchObject({ kind: 'transient' });
    expect(error.message).toContain('POST /oauth/token');
    expect(error.message).toContain(says);
    expect(error.message).not.toContain('opaque-token');
    expect(count('list')).toBe(0);
  });
});
