import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../base/http/https-call.ts';
import { type ServiceManagerSimulator, startServiceManagerSimulator } from '../service-manager/simulator.ts';
import { hanaCloudBroker, hanaCloudCatalog } from './broker.ts';
import { type HanaCloudSimulator, startHanaCloudSimulator } from './simulator.ts';

let hanaCloud: HanaCloudSimulator;
let serviceManager: ServiceManagerSimulator;
beforeAll(async () => {
  hanaCloud = await startHanaCloudSimulator();
  serviceManager = await startServiceManagerSimulator({
    catalog: hanaCloudCatalog,
    broker: hanaCloudBroker(hanaCloud),
  });
});
afterAll(() => Promise.all([serviceManager.stop(), hanaCloud.stop()]));

async function grant(simulator: { readonly caCertificate: string }, url: string, id: string, secret: string) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const init = { method: 'POST', headers, body: form.toString() };
  const { status, body } = await call(`${url}/oauth/token`, simulator.caCertificate, init);
  return { status, token: String(JSON.parse(body).access_token) };
}

async function send(method: string, path: string, body?: unknown) {
  const { clientid = '', clientsecret = '' } = (await serviceManager.credentials()).secret;
  const { token } = await grant(serviceManager, serviceManager.url, clientid, clientsecret);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await call(serviceManager.url + path, serviceManager.caCertificate, {
    method,
    headers: { authorization: `Bearer ${token}`, ...type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return JSON.parse(response.body);
}

const labels = { _namespace: ['shop'], _k8sname: ['x'], _clusterid: ['c-1'] };
const provision = (name: string, service_plan_id: string): Promise<{ id: string }> =>
  send('POST', '/v1/service_instances', { name, service_plan_id, labels, ready: false, usable: false });

interface Bound {
  readonly id: string;
  readonly credentials: { baseurl: string; uaa: { url: string; clientid: string; clientsecret: string } };
}

describe.each([{ mode: 'synchronous' }, { mode: 'asynchronous' }])('with $mode changes', ({ mode }) => {
  test('a database exists in HANA Cloud, and credentials of a binding are valid, until they are deleted', async () => {
    const remove =
      mode === 'asynchronous'
        ? serviceManager.modes.add({ on: {}, mode: { async: { polls: 0 } } })
        : undefined;
    const database = await idOf(provision(`db-${mode}`, 'plan-hana'), 'instances', `db-${mode}`);
    expect(hanaCloud.store.hasInstance(database)).toBe(true);
    const admin = await idOf(provision(`admin-${mode}`, 'plan-admin'), 'instances', `admin-${mode}`);
    expect(hanaCloud.store.hasInstance(admin)).toBe(false);
    const body = { name: `admin-${mode}`, service_instance_id: admin, labels };
    const bindingID = await idOf(send('POST', '/v1/service_bindings', body), 'bindings', `admin-${mode}`);
    const { credentials }: Bound = await send('GET', `/v1/service_bindings/${bindingID}`);
    const { url, clientid, clientsecret } = credentials.uaa;
    const { token } = await grant(hanaCloud, url, clientid, clientsecret);
    const mappings = () =>
      call(
        `https://${credentials.baseurl}/inventory/v2/serviceInstances/${database}/instanceMappings`,
        hanaCloud.caCertificate,
        { headers: { authorization: `Bearer ${token}` } },
      );
    expect(await mappings()).toMatchObject({ status: 200 });
    await finish(send('DELETE', `/v1/service_bindings/${bindingID}`));
    expect((await mappings()).status).toBe(401);
    expect((await grant(hanaCloud, url, clientid, clientsecret)).status).toBe(401);
    await finish(send('DELETE', `/v1/service_instances/${database}`));
    expect(hanaCloud.store.hasInstance(database)).toBe(false);
    expect([...hanaCloud.violations(), ...serviceManager.violations()]).toEqual([]);
    remove?.();
  });
});

/** The ID of a new object, when its operation has ended. */
async function idOf(
  creation: Promise<unknown>,
  kind: 'instances' | 'bindings',
  name: string,
): Promise<string> {
  await finish(creation);
  const { items }: { items: { id: string; name: string }[] } = await send('GET', `/v1/service_${kind}`);
  return items.find((item) => item.name === name)?.id ?? '';
}

async function finish(change: Promise<unknown>): Promise<void> {
  await change;
  const { store } = serviceManager;
  for (const { last_operation: operation } of [...store.instances(), ...store.bindings()]) {
    if (operation !== undefined) store.finishOperation(operation.id, 'succeeded');
  }
}
