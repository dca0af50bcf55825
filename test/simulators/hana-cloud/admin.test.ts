import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { call } from '../base/http/https-call.ts';
import { type HanaCloudSimulator, startHanaCloudSimulator } from './simulator.ts';

const mapping = { platform: 'kubernetes', primaryID: 'c d', secondaryID: 'n', isDefault: false };

let simulator: HanaCloudSimulator;
beforeAll(async () => {
  simulator = await startHanaCloudSimulator({ instances: ['i-1'] });
});
afterEach(() => simulator.reset());
afterAll(() => simulator.stop());

async function callAdmin(method: string, path: string, body?: unknown) {
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const { status, body: text } = await call(
    `${simulator.apiUrl}/_simulator${path}`,
    simulator.caCertificate,
    init,
  );
  return { status, answer: JSON.parse(text) };
}

test('everything can be steered from outside', async () => {
  const ok = async (method: string, path: string, body?: unknown) => {
    const { status, answer } = await callAdmin(method, path, body);
    expect({ path, status, answer }).toMatchObject({ status: 200 });
    return answer;
  };
  expect((await ok('GET', '/')).calls.length).toBeGreaterThan(10);
  await ok('PUT', '/instances/x%2Fy');
  expect(simulator.store.hasInstance('x/y')).toBe(true);
  await ok('DELETE', '/instances/x%2Fy');
  expect(simulator.store.hasInstance('x/y')).toBe(false);
  expect(await ok('POST', '/instances/i-1/mappings', mapping)).toEqual({ added: true });
  expect((await ok('GET', '/state')).instances).toEqual({ 'i-1': [mapping] });
  expect(await ok('DELETE', '/instances/i-1/mappings?primaryID=c%20d&secondaryID=n')).toEqual({
    removed: true,
  });
  const { id } = await ok('POST', '/faults', {
    on: { route: 'list', first: 3 },
    do: { kind: 'status', status: 503 },
  });
  expect(simulator.faults.list()).toMatchObject([{ id, on: { route: 'list', first: 3 } }]);
  expect(await ok('DELETE', `/faults/${id}`)).toEqual({ removed: true });
  await ok('POST', '/faults', { on: {}, do: { kind: 'hang', when: 'after' } });
  await ok('DELETE', '/faults');
  expect(simulator.faults.list()).toEqual([]);
  await ok('PATCH', '/settings', { latencyMs: 7, hiddenAs: 403 });
  expect(simulator.settings).toMatchObject({ latencyMs: 7, hiddenAs: 403 });
  const forms = await ok('GET', '/instances/i-1/credentials');
  expect(forms).toEqual(await simulator.credentials('i-1'));
  expect(await ok('POST', '/instances/i-1/credentials', { revokeOld: true })).not.toEqual(forms);
  await ok('DELETE', '/tokens');
  await call(`${simulator.tokenUrl}/oauth/token`, simulator.caCertificate, { method: 'POST' });
  expect(await ok('GET', '/requests?route=token&status=400')).toHaveLength(1);
  expect(await ok('GET', '/requests?route=list')).toEqual([]);
  await ok('POST', '/reset');
  expect(simulator.requests()).toEqual([]);
});

test.each([
  ['POST', '/faults', { on: {}, do: { kind: 'explode' } }, 'kind'],
  ['POST', '/faults', { on: { rute: 'list' }, do: { kind: 'reset' } }, 'additional properties'],
  ['POST', '/faults', { on: {}, do: { kind: 'delay' } }, 'ms'],
  ['PATCH', '/settings', { latencyMs: -1 }, 'latencyMs'],
  ['POST', '/instances/i-1/mappings', { primaryID: 'x' }, 'platform'],
  ['POST', '/instances/nowhere/mappings', mapping, 'there is no instance nowhere'],
])('%s %s with a mistake in it is refused with the reason: %j', async (method, path, body, says) => {
  const { status, answer } = await callAdmin(method, path, body);
  expect(status).toBe(400);
  expect(answer.error).toContain(says);
});

test('an unknown call gets the list of calls', async () => {
  const { status, answer } = await callAdmin('GET', '/nothing');
  expect(status).toBe(404);
  expect(answer.calls).toContainEqual(expect.stringContaining('GET /state'));
});

test('steering is no request of the API: no record of it', async () => {
  await callAdmin('GET', '/state');
  expect(simulator.requests()).toEqual([]);
  expect(simulator.violations()).toEqual([]);
});
