import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type CallInit, call } from '../base/http/https-call.ts';
import { type HanaCloudSimulator, startHanaCloudSimulator } from './simulator.ts';

const instance = 'i-1';
const mapping = { platform: 'kubernetes', primaryID: 'c', secondaryID: 'n', isDefault: false };
const form = 'application/x-www-form-urlencoded';

let simulator: HanaCloudSimulator;
let uaa: { url: string; clientid: string; clientsecret: string };
beforeAll(async () => {
  simulator = await startHanaCloudSimulator({ instances: [instance, 'i-2'] });
  uaa = JSON.parse((await simulator.credentials(instance)).fields.uaa ?? '');
});
afterEach(() => simulator.reset());
afterAll(() => simulator.stop());

function grant(body: string, init: CallInit = {}, url = simulator.tokenUrl) {
  const headers = { 'content-type': form, ...init.headers };
  return call(`${url}/oauth/token`, simulator.caCertificate, { method: 'POST', headers, body });
}

async function token(): Promise<string> {
  const secret = encodeURIComponent(uaa.clientsecret);
  const id = encodeURIComponent(uaa.clientid);
  const { body } = await grant(`grant_type=client_credentials&client_id=${id}&client_secret=${secret}`);
  return JSON.parse(body).access_token;
}

async function api(init: CallInit = {}, path = `/${instance}/instanceMappings`, bearer?: string) {
  const headers = { authorization: `Bearer ${bearer ?? (await token())}`, ...init.headers };
  const url = `${simulator.apiUrl}/inventory/v2/serviceInstances${path}`;
  return call(url, simulator.caCertificate, { ...init, headers });
}

const post = (body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  api({ method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

test('mappings are stored, listed, deleted, and gone', async () => {
  expect(await post(mapping)).toMatchObject({ status: 201 });
  expect(await post(mapping)).toMatchObject({ status: 409 });
  expect(JSON.parse((await api()).body)).toEqual({ mappings: [mapping] });
  const query = `/${instance}/instanceMappings?primaryID=c&secondaryID=n`;
  expect(await api({ method: 'DELETE' }, query)).toMatchObject({ status: 204, body: '' });
  expect(await api({ method: 'DELETE' }, query)).toMatchObject({ status: 404 });
  expect(simulator.violations()).toEqual([]);
});

test('outside of loopback it has another name, also in its certificate', async () => {
  const elsewhere = await startHanaCloudSimulator({
    listen: '0.0.0.0',
    host: 'localhost',
    instances: [instance],
  });
  try {
    const { baseurl, uaa: other } = (await elsewhere.credentials(instance)).fields;
    expect(`https://${baseurl}`).toBe(elsewhere.apiUrl);
    expect(JSON.parse(other ?? '')).toMatchObject({ url: elsewhere.tokenUrl });
    expect(elsewhere.apiUrl).toMatch(/^https:\/\/localhost:/);
    const { body } = await call(`${elsewhere.apiUrl}/_simulator/ca`, elsewhere.caCertificate);
    expect(JSON.parse(body)).toEqual({ pem: elsewhere.caCertificate });
  } finally {
    await elsewhere.stop();
  }
});

test('a default is the only one of its primaryID, across instances', () => {
  const { store } = simulator;
  store.addMapping(instance, { ...mapping, isDefault: true });
  store.addMapping('i-2', { ...mapping, primaryID: 'other', isDefault: true });
  expect(store.mappings(instance)).toMatchObject([{ isDefault: true }]);
  store.addMapping('i-2', { ...mapping, secondaryID: 'm', isDefault: true });
  expect(store.mappings(instance)).toMatchObject([{ isDefault: false }]);
  expect(store.mappings('i-2')).toMatchObject([{ isDefault: true }, { isDefault: true }]);
});

describe('what the contract does not have is refused with 400 and written down', () => {
  const cases: Record<string, [send: () => Promise<{ status: number }>, violation: string]> = {
    'an unknown field': [() => post({ ...mapping, extra: 1 }), 'must NOT have additional properties (extra)'],
    'a missing field': [() => post({ platform: 'kubernetes' }), "must have required property 'primaryID'"],
    'a wrong type': [() => post({ ...mapping, isDefault: 'yes' }), 'isDefault must be boolean'],
    'an unknown platform': [() => post({ ...mapping, platform: 'vm' }), 'platform must be equal to one of'],
    'no JSON': [() => post('{"platform"'), 'the body cannot be parsed'],
    'another content type': [
      () => post(mapping, { 'content-type': 'text/plain' }),
      'content type text/plain',
    ],
    'no content type': [() => post(mapping, {}), 'content type is missing'],
    'no body': [() => post(''), 'the body is missing'],
    'an unknown parameter': [
      () => api({}, `/${instance}/instanceMappings?limit=1`),
      'query parameter limit is unknown',
    ],
    'a missing parameter': [
      () => api({ method: 'DELETE' }, `/${instance}/instanceMappings?secondaryID=n`),
      'parameter primaryID is missing',
    ],
    'a parameter twice': [
      () => api({ method: 'DELETE' }, `/${instance}/instanceMappings?primaryID=a&primaryID=b`),
      'primaryID is given more than once',
    ],
    'a body where none belongs': [
      () => api({ method: 'DELETE', body: '{}' }, `/${instance}/instanceMappings?primaryID=a`),
      'there must be no body',
    ],
    'another grant type': [() => grant('grant_type=password'), 'grant_type must be equal to constant'],
    'an unknown form field': [() => grant('grant_type=client_credentials&scope=x'), '(scope)'],
  };
  test.each(Object.entries(cases))('%s', async (_name, [send, violation]) => {
    expect(await send()).toMatchObject({ status: 400 });
    expect(simulator.violations()).toEqual([expect.stringContaining(violation)]);
    expect(simulator.store.mappings(instance)).toEqual([]);
  });

  test('an unknown path is a router’s 404', async () => {
    const answer = await api({}, '/i-1/other');
    expect(answer).toMatchObject({ status: 404, headers: { 'x-cf-routererror': 'unknown_route' } });
    expect(simulator.violations()).toHaveLength(1);
  });
});

test('its own responses are checked against the contract too', async () => {
  simulator.store.addMapping(instance, { ...mapping, primaryID: '' });
  await api();
  expect(simulator.violations()).toEqual([
    expect.stringContaining("the simulator's own answer 200 mappings.0.primaryID"),
  ]);
});

describe('tokens', () => {
  const refused = async (bearer: string) => (await api({}, undefined, bearer)).status;

  test.each(['jwt', 'opaque'] as const)('of the form %s are verified at each call', async (tokenFormat) => {
    simulator.settings.tokenFormat = tokenFormat;
    const good = await token();
    expect(await refused(good)).toBe(200);
    expect(await refused(`${good}x`)).toBe(401);
    expect(await refused('nonsense')).toBe(401);
    simulator.store.revokeTokens();
    expect(await refused(good)).toBe(401);
  });

  test('expire', async () => {
    simulator.settings.tokenLifetimeSeconds = 0.001;
    const short = await token();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await refused(short)).toBe(401);
  });

  test('end with their client, when credentials are rotated and the old ones revoked', async () => {
    const old = await token();
    await simulator.rotateCredentials(instance);
    expect(await refused(old)).toBe(200);
    await simulator.rotateCredentials(instance, { revokeOld: true });
    expect(await refused(old)).toBe(200);
    uaa = JSON.parse((await simulator.credentials(instance)).fields.uaa ?? '');
    const current = await token();
    const { fields } = await simulator.rotateCredentials(instance, { revokeOld: true });
    expect(await refused(current)).toBe(401);
    uaa = JSON.parse(fields.uaa ?? '');
  });

  test('show only the instances of their client', async () => {
    simulator.store.addMapping('i-2', mapping);
    expect((await api({}, '/i-2/instanceMappings')).status).toBe(404);
    simulator.settings.hiddenAs = 403;
    expect((await api({}, '/i-2/instanceMappings')).status).toBe(403);
  });

  test('need the right secret, in one place, in the encoding of the header', async () => {
    const basic = (id: string, secret: string) =>
      `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const status = async (headers: Record<string, string>, body = 'grant_type=client_credentials') =>
      (await grant(body, { headers })).status;
    const { clientid, clientsecret } = uaa;
    expect(await status({ authorization: basic(clientid, clientsecret) })).toBe(200);
    expect(await status({ authorization: basic(clientid, 'wrong') })).toBe(401);
    const encoded = basic(encodeURIComponent(clientid), encodeURIComponent(clientsecret));
    expect(await status({ authorization: encoded })).toBe(401);
    expect(await status({ authorization: encoded, 'x-cf-encoded-credentials': 'true' })).toBe(200);
    const twice = 'grant_type=client_credentials&client_secret=x';
    expect(await status({ authorization: basic(clientid, clientsecret) }, twice)).toBe(401);
    expect(await status({})).toBe(401);
  });

  test('at the endpoint for certificates need one', async () => {
    const id = encodeURIComponent(uaa.clientid);
    const answer = await grant(`grant_type=client_credentials&client_id=${id}`, {}, simulator.certTokenUrl);
    expect(answer.status).toBe(401);
  });
});

test('the record of requests holds clients and routes, and no secret', async () => {
  await post(mapping);
  const [grantRecord, createRecord] = simulator.requests();
  expect(grantRecord).toMatchObject({
    route: 'token',
    clientID: uaa.clientid,
    status: 200,
    outcome: 'answered',
  });
  expect(createRecord).toMatchObject({ route: 'create', instance, body: mapping, status: 201 });
  const text = JSON.stringify(simulator.requests());
  expect(text).not.toContain(uaa.clientsecret);
  expect(text).not.toContain('eyJ');
});

test('reset removes requests and mappings and keeps the set-up', async () => {
  simulator.store.addMapping(instance, mapping);
  simulator.faults.add({ on: {}, do: { kind: 'reset' } });
  simulator.settings.latencyMs = 5;
  const old = await simulator.credentials(instance);
  simulator.reset();
  expect(simulator.requests()).toEqual([]);
  expect(simulator.maxInFlight()).toBe(0);
  expect(simulator.settings.latencyMs).toBe(0);
  expect(simulator.store.mappings(instance)).toEqual([]);
  expect((await api()).status).toBe(200);
  expect(await simulator.credentials(instance)).toEqual(old);
});

test('stop ends what hangs', async () => {
  const own = await startHanaCloudSimulator({ instances: [instance] });
  own.faults.add({ on: {}, do: { kind: 'hang' } });
  const hanging = call(`${own.tokenUrl}/oauth/token`, own.caCertificate, { method: 'POST' });
  const ends = expect(hanging).rejects.toThrow();
  while (own.requests({ outcome: 'hung' }).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 2));
  await own.stop();
  await ends;
});
