import { describe, expect, test } from '@jest/globals';
import { ResponseError } from '../../../internal/framework/http/index.ts';
import type { HanaCloudClient } from '../../../internal/systems/inventory/hana-cloud/client.ts';
import { UnknownInstanceError } from '../../../internal/systems/inventory/hana-cloud/mappings-api.ts';
import { callOptions, hanaCloudOfFile, instance, mapping, thrownBy } from './set-up.ts';

const { simulator, connect } = hanaCloudOfFile();

describe.each(['fields', 'json', 'x509'] as const)('[B141] with credentials in the form %s', (form) => {
  test('a mapping is created, listed, deleted and then gone', async () => {
    const client = await connect({}, form);
    await expect(client.listMappings(instance, callOptions())).resolves.toEqual({
      state: 'listed',
      mappings: [],
    });
    await expect(client.createMapping(instance, mapping, callOptions())).resolves.toBe('created');
    expect(simulator.store.mappings(instance)).toEqual([mapping]);
    await expect(client.listMappings(instance, callOptions())).resolves.toEqual({
      state: 'listed',
      mappings: [mapping],
    });
    await expect(client.createMapping(instance, mapping, callOptions())).resolves.toBe('exists');
    await expect(client.deleteMapping(instance, mapping, callOptions())).resolves.toBe('deleted');
    expect(simulator.store.mappings(instance)).toEqual([]);
    await expect(client.deleteMapping(instance, mapping, callOptions())).resolves.toBe('gone');
  });
});

test('a mapping without secondaryID is created and deleted as such', async () => {
  const client = await connect();
  const organisation = { platform: 'cloudfoundry', primaryID: 'org', isDefault: true } as const;
  await client.createMapping(instance, organisation, callOptions());
  expect(simulator.store.mappings(instance)).toEqual([organisation]);
  await expect(client.deleteMapping(instance, { primaryID: 'org' }, callOptions())).resolves.toBe('deleted');
});

test('IDs are escaped: none changes the path or adds a parameter', async () => {
  const client = await connect();
  const odd = 'a/b?c=d&e#f%2F ü"\\';
  const { clientID = '' } = await clientRecord(client);
  simulator.store.addInstance(odd);
  simulator.store.client(clientID)?.instances.add(odd);
  const oddMapping = { ...mapping, primaryID: odd, secondaryID: `${odd}&isDefault=true` };
  await expect(client.createMapping(odd, oddMapping, callOptions())).resolves.toBe('created');
  expect(simulator.store.mappings(odd)).toEqual([oddMapping]);
  await expect(client.deleteMapping(odd, oddMapping, callOptions())).resolves.toBe('deleted');
  simulator.store.removeInstance(odd);
});

test.each(['', '.', '..', '\ud800'])('an ID that would change the path (%j) is never sent', async (id) => {
  const client = await connect();
  const error = await thrownBy(() => client.listMappings(id, callOptions()));
  expect(error).toMatchObject({ kind: 'terminal' });
  expect(simulator.requests()).toEqual([]);
});

async function clientRecord(client: HanaCloudClient) {
  await client.listMappings(instance, callOptions());
  const [record] = simulator.requests({ route: 'list' });
  if (record === undefined) throw new Error('nothing was listed');
  return record;
}

describe('an unknown instance', () => {
  test('is distinguished from an instance without mappings', async () => {
    const client = await connect();
    const list = await client.listMappings('nowhere', callOptions());
    expect(list).toMatchObject({ state: 'not-found', mappings: [] });
    expect(list).toMatchObject({ message: expect.stringContaining('service instance nowhere is unknown') });
  });

  test('is an error of its own for a create', async () => {
    const client = await connect();
    const error = await thrownBy(() => client.createMapping('nowhere', mapping, callOptions()));
    expect(error).toBeInstanceOf(UnknownInstanceError);
    expect(error).toMatchObject({ kind: 'not-found', status: 404, code: 'NOT_FOUND' });
  });

  test('counts as gone for a delete', async () => {
    const client = await connect();
    await expect(client.deleteMapping('nowhere', mapping, callOptions())).resolves.toBe('gone');
  });
});

test.each<[string, unknown]>([
  ['at the top', { code: 'NOT_FOUND', message: 'there is no such mapping', requestId: 'a-1' }],
  ['inside error', { error: { code: 'InstanceNotFound', message: 'unknown' } }],
])('a 404 with the error of the contract (%s) is the API’s own', async (_form, body) => {
  const client = await connect();
  for (const route of ['list', 'delete'] as const)
    simulator.faults.add({ on: { route }, do: { kind: 'status', status: 404, body } });
  await expect(client.listMappings(instance, callOptions())).resolves.toMatchObject({ state: 'not-found' });
  await expect(client.deleteMapping(instance, mapping, callOptions())).resolves.toBe('gone');
});

describe('a 404 that is not the API’s own does not mean gone', () => {
  const router = { kind: 'router-404' } as const;
  const status = (body: unknown, headers: Record<string, string> = {}) =>
    ({ kind: 'status', status: 404, body, headers }) as const;
  const cases = {
    'a router says that it has no route': router,
    'the router’s header stands beside JSON': status({ code: 1 }, { 'X-Cf-RouterError': 'unknown_route' }),
    'the body is a page': status('<html>not found</html>', { 'content-type': 'text/html' }),
    'the body is empty': status(undefined),
    'the body is JSON but no object': status([]),
    'the body is null': status(null),
    'Kong has no route': status({ message: 'no Route matched with those values', request_id: 'd1c2' }),
    'APISIX has no route': status({ error_msg: '404 Route Not Found' }),
    'Spring Cloud Gateway has no route': status({
      timestamp: '2025-01-01T00:00:00.000+00:00',
      path: `/inventory/v2/serviceInstances/${instance}/instanceMappings`,
      status: 404,
      error: 'Not Found',
      message: 'No static resource instanceMappings.',
      requestId: 'a-1',
    }),
    'a gateway answers by RFC 9457': status({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      instance,
    }),
    'Azure API Management has no operation': status({ statusCode: 404, message: 'Resource not found' }),
    'a gateway repeats the status as the code': status({ error: { code: 404, message: `no ${instance}` } }),
    'a gateway repeats the status as a text': status({
      code: '404',
      message: 'no instance',
      type: 'Status report',
    }),
    'a gateway has a code for routes': status({
      code: 'ROUTE_NOT_FOUND',
      message: 'no route to instanceMappings',
    }),
    'a host says that a page is not found': status({ error: { code: 'NOT_FOUND', message: 'no such page' } }),
    'the object is empty': status({}),
  };
  test.each(Object.entries(cases))('%s', async (_reason, action) => {
    const client = await connect();
    await client.createMapping(instance, mapping, callOptions());
    simulator.faults.add({ on: { route: 'list' }, do: action });
    simulator.faults.add({ on: { route: 'create' }, do: action });
    simulator.faults.add({ on: { route: 'delete' }, do: action });
    const errors = [
      await thrownBy(() => client.listMappings(instance, callOptions())),
      await thrownBy(() => client.createMapping(instance, mapping, callOptions())),
      await thrownBy(() => client.deleteMapping(instance, mapping, callOptions())),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(ResponseError);
      expect(error).toMatchObject({ kind: 'transient', status: 404 });
    }
    expect(simulator.store.mappings(instance)).toEqual([mapping]);
  });

  test('and ends when the router finds its way again', async () => {
    const client = await connect();
    simulator.faults.add({ on: { first: 2, route: 'delete' }, do: router });
    simulator.store.addMapping(instance, mapping);
    await expect(client.deleteMapping(instance, mapping, callOptions())).resolves.toBe('deleted');
  });
});

describe('a response outside of the contract', () => {
  const listing = (body: unknown) => ({ kind: 'status', status: 200, body }) as const;
  const cases: Record<string, { action: Parameters<typeof simulator.faults.add>[0]['do']; says: string }> = {
    'is not JSON': { action: { kind: 'malformed' }, says: 'the body is not JSON' },
    'is empty': { action: { kind: 'status', status: 200 }, says: 'the body is empty' },
    'has no mappings': { action: listing({}), says: 'mappings is missing, not an array' },
    'has null for mappings': { action: listing({ mappings: null }), says: 'mappings is null, not an array' },
    'has a mapping of another shape': {
      action: listing({ mappings: [mapping, { ...mapping, primaryID: 7 }] }),
      says: 'mappings[1].primaryID is a number, not a string',
    },
    'is too long': { action: { kind: 'oversized', bytes: 5_000_000 }, says: 'longer than 2097152 bytes' },
    'breaks off': { action: { kind: 'truncated' }, says: 'answered 200, then broke off' },
    'is another success than the contract has': {
      action: { kind: 'status', status: 204 },
      says: 'answered 204',
    },
  };
  test.each(Object.entries(cases))(
    '%s: the error names route and difference',
    async (_name, { action, says }) => {
      const client = await connect();
      simulator.faults.add({ on: { route: 'list' }, do: action });
      const error = await thrownBy(() => client.listMappings(instance, callOptions()));
      expect(error).toMatchObject({ kind: 'transient' });
      expect(error.message).toContain(says);
      expect(error.message).toMatch(
        /^cannot list the mappings of instance .*: GET \/inventory\/v2\/serviceInstances\/\{serviceInstanceID\}\/instanceMappings/,
      );
    },
  );

  test('is no error where it has more fields than the contract', async () => {
    const client = await connect();
    const more = {
      ...mapping,
      platform: 'later-platform',
      createdAt: 'today',
      isDefault: undefined,
      secondaryID: null,
    };
    simulator.faults.add({ on: { route: 'list' }, do: listing({ mappings: [more], next: null }) });
    await expect(client.listMappings(instance, callOptions())).resolves.toEqual({
      state: 'listed',
      mappings: [{ platform: 'later-platform', primaryID: 'cluster-1', isDefault: false }],
    });
  });

  test('is no error after a create or delete that succeeded, since their bodies are not used', async () => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'create' }, do: { kind: 'malformed', body: 'OK' } });
    simulator.faults.add({ on: { route: 'delete' }, do: { kind: 'malformed', body: 'OK' } });
    await expect(client.createMapping(instance, mapping, callOptions())).resolves.toBe('created');
    await expect(client.deleteMapping(instance, mapping, callOptions())).resolves.toBe('deleted');
  });
});

describe('an error of the API', () => {
  test.each([
    ['inside error', { error: { code: 'E17', message: 'no\nway\u001b[31m' } }],
    ['at the top', { code: 'E17', message: 'no\nway\u001b[31m' }],
  ])('is quoted in one line, with its code, %s', async (_form, body) => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'create' }, do: { kind: 'status', status: 422, body } });
    const error = await thrownBy(() => client.createMapping(instance, mapping, callOptions()));
    expect(error).toMatchObject({ kind: 'transient', status: 422, code: 'E17' });
    expect(error.message).toMatch(/ answered 422: E17: no way \[31m$/);
    expect(simulator.requests({ route: 'create' })).toHaveLength(1);
  });

  test('is cut to a length that a condition can bear', async () => {
    const client = await connect();
    const body = { message: 'x'.repeat(100_000) };
    simulator.faults.add({ on: { route: 'list' }, do: { kind: 'status', status: 400, body } });
    const error = await thrownBy(() => client.listMappings(instance, callOptions()));
    expect(error.message.length).toBeLessThan(500);
    expect(error.message).toMatch(/x…$/);
  });

  test('403 is a refusal of the credentials and not repeated', async () => {
    const client = await connect();
    simulator.faults.add({
      on: { route: 'list' },
      do: { kind: 'status', status: 403, body: { message: 'no' } },
    });
    const error = await thrownBy(() => client.listMappings(instance, callOptions()));
    expect(error).toMatchObject({ kind: 'auth', status: 403 });
    expect(simulator.requests({ route: 'list' })).toHaveLength(1);
  });

  test('a redirect is not followed, least of all with the token', async () => {
    const client = await connect();
    const location = `${simulator.apiUrl}/inventory/v2/serviceInstances/${instance}/instanceMappings?token=abcdefgh`;
    for (const route of ['list', 'create', 'delete'] as const) {
      simulator.faults.add({ on: { route, first: 1 }, do: { kind: 'redirect', location } });
    }
    const errors = [
      await thrownBy(() => client.listMappings(instance, callOptions())),
      await thrownBy(() => client.createMapping(instance, mapping, callOptions())),
      await thrownBy(() => client.deleteMapping(instance, mapping, callOptions())),
    ];
    for (const error of errors) {
      expect(error.message).toContain(`a redirect to ${new URL(location).host}, which is not followed`);
      expect(error.message).not.toContain('abcdefgh');
    }
    expect(simulator.requests().filter(({ route }) => route !== 'token')).toHaveLength(3);
  });
});

test('a closed client makes no more calls', async () => {
  const client = await connect();
  await client.close();
  const error = await thrownBy(() => client.listMappings(instance, callOptions()));
  expect(error).toMatchObject({ kind: 'bug' });
  expect(simulator.requests()).toEqual([]);
});
