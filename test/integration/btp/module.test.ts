/**
 * The module `btp` as users run it: the bundle as a process, configured by the environment of SAP's operator, with its
 * webhooks registered at a real API server, which does not have the CRDs of the package.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { apiRequester } from '../../../hack/control-planes/access/api-request.ts';
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import type { ControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { freePort } from '../../../hack/control-planes/process/free-port.ts';
import { eventually } from '../../environment/eventually.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../simulators/service-manager/simulator.ts';
import { kindClient, refusal } from '../apis/kind-client.ts';
import { type BorrowedBtpPlane, borrowBtpPlane } from '../harness/btp/borrow-btp-plane.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import {
  type ProviderProcess,
  type ProviderProcesses,
  providerProcesses,
} from '../harness/provider/provider-process.ts';

const group = 'services.cloud.sap.com';
const leasesOf = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const leaseName = 'aa689ecc.cloud.sap.com';

let borrowed: BorrowedBtpPlane;
let plane: BorrowedBtpPlane['plane'];
let simulator: ServiceManagerSimulator;
let processes: ProviderProcesses;
let folder: string;

let provider: ProviderProcess;
let releaseNamespace: string;
let webhookPort: number;
let caBundle: string;

/** Starts the module in a release namespace of its own. */
async function start(releaseNamespace: string, env: Record<string, string> = {}, args: string[] = []) {
  return processes.start({
    kubeconfig: plane.kubeconfig,
    args: ['--controllers=btp', ...args],
    env: { CLUSTER_ID: 'cluster-1', RELEASE_NAMESPACE: releaseNamespace, ...env },
  });
}

async function createNamespace(): Promise<string> {
  const name = uniqueName('release');
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  expect(await plane.request('/api/v1/namespaces', { method: 'POST', body })).toMatchObject({ status: 201 });
  return name;
}

interface WebhookConfiguration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: { clientConfig: unknown }[];
}
const webhookConfigurations = async (): Promise<WebhookConfiguration[]> => {
  const text = await readFile(new URL('../../../package/btp/webhooks.yaml', import.meta.url), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS());
};
const collectionOf = ({ kind }: WebhookConfiguration) =>
  `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;

/** As an installation does: with the address and the authority of the webhooks. */
async function registerWebhooks(): Promise<void> {
  for (const body of await webhookConfigurations()) {
    for (const webhook of body.webhooks) {
      const { service } = webhook.clientConfig as { service: { path: string } };
      webhook.clientConfig = { url: `https://127.0.0.1:${webhookPort}${service.path}`, caBundle };
    }
    expect(await plane.request(collectionOf(body), { method: 'POST', body })).toMatchObject({ status: 201 });
  }
  // API servers load configurations by a watch.
  await eventually(async () => {
    const { body } = await instances.create(instance(), 'dryRun=All');
    expect(body).toMatchObject({ spec: { userInfo: expect.anything() } });
    const bound = await bindings.create(binding(), 'dryRun=All');
    expect(bound.body).toMatchObject({ spec: { userInfo: expect.anything() } });
  });
}

/** When no server is there any more: until then a creation fails. */
async function removeWebhooks(): Promise<void> {
  for (const each of await webhookConfigurations())
    await plane.request(`${collectionOf(each)}/${each.metadata.name}`, { method: 'DELETE' });
  await eventually(async () => {
    expect(await instances.create(instance(), 'dryRun=All')).toMatchObject({ status: 201 });
    expect(await bindings.create(binding(), 'dryRun=All')).toMatchObject({ status: 201 });
  });
}

const request: ControlPlane['request'] = (...args) => plane.request(...args);
const clientOf = (kind: string, version = 'v1', namespace = 'default') =>
  kindClient(
    { request } as ControlPlane,
    { group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true },
    namespace,
  );
const instances = clientOf('ServiceInstance');
const bindings = clientOf('ServiceBinding');
const instance = (spec: object = {}, version = 'v1') => ({
  apiVersion: `${group}/${version}`,
  kind: 'ServiceInstance',
  metadata: { name: uniqueName('instance') },
  spec: { serviceOfferingName: 'offering', servicePlanName: 'plan', ...spec },
});
const binding = (spec: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: 'ServiceBinding',
  metadata: { name: uniqueName('binding') },
  spec: { serviceInstanceName: 'one', ...spec },
});
const denied = (code: number, text: string) => ({
  status: code,
  body: { message: expect.stringContaining(`denied the request: ${text}`) },
});

beforeAll(async () => {
  borrowed = await borrowBtpPlane();
  ({ plane } = borrowed);
  folder = await mkdtemp(join(tmpdir(), 'kyma-btp-'));
  const authority = await createAuthority('webhooks');
  const { certificate, key } = await authority.issueServer(['127.0.0.1']);

  await writeFile(join(folder, 'tls.crt'), certificate);
  await writeFile(join(folder, 'tls.key'), key);
  caBundle = Buffer.from(authority.certificate).toString('base64');
  simulator = await startServiceManagerSimulator();
  processes = await providerProcesses(simulator.caCertificate);
  webhookPort = await freePort();
  releaseNamespace = await createNamespace();
  provider = await start(releaseNamespace, { WEBHOOK_CERT_DIR: folder }, [`--webhook-port=${webhookPort}`]);
  await provider.untilLogged('serving webhooks');
  await registerWebhooks();
});
afterAll(async () => {
  await processes?.stop();
  if (borrowed !== undefined) await removeWebhooks();
  await borrowed?.giveBack();
  await simulator?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

describe('the webhooks', () => {
  test('[B27] a ServiceInstance has the requesting user, who cannot be changed', async () => {
    for (const version of ['v1', 'v1alpha1']) {
      const client = clientOf('ServiceInstance', version);
      const created = instance({ userInfo: { username: 'eve' } }, version);
      const { name } = created.metadata;
      const { body } = await client.create(created);
      const { userInfo } = (body as { spec: { userInfo: { username: string } } }).spec;
      expect(userInfo.username).not.toBe('eve');
      expect(body).toMatchObject({ spec: { externalName: name } });
      const changed = { spec: { userInfo: { username: 'eve' } } };
      expect(await client.patch(name, changed)).toMatchObject(
        denied(400, 'modifying spec.userInfo is not allowed'),
      );
      expect(await client.patch(name, { spec: { userInfo: null } })).toMatchObject({
        status: 200,
        body: { spec: { userInfo } },
      });
    }
  });

  test('[B31] a protected ServiceInstance can be deleted once the annotation is removed', async () => {
    const created = instance();
    const { name } = created.metadata;
    const annotation = (value: string | null) => ({
      metadata: { annotations: { [`${group}/preventDeletion`]: value } },
    });
    await instances.create(created);
    await instances.patch(name, annotation('true'));
    expect(await instances.delete(name)).toMatchObject(
      denied(403, `service instance '${name}' is marked with "prevent deletion"`),
    );
    await instances.patch(name, annotation(null));
    expect(await instances.delete(name)).toMatchObject({ status: 200 });
  });

  test('[B101-B104] a change of a bound ServiceBinding is refused', async () => {
    const created = binding({ parameters: { a: 1 } });
    const { name } = created.metadata;
    expect(await bindings.create(created)).toMatchObject({
      body: { spec: { externalName: name, secretName: name } },
    });
    expect(await bindings.patch(name, { spec: { externalName: 'other' } })).toMatchObject({ status: 200 });
    await bindings.patchStatus(name, { conditions: [], bindingID: 'id', ready: 'True' });
    const message = 'updating service bindings is not supported';
    for (const change of [{ externalName: 'third' }, { serviceInstanceName: 'other' }, { secretKey: 'x' }]) {
      expect(await bindings.patch(name, { spec: change })).toMatchObject(refusal(message));
    }
    // Rules do not see this difference.
    expect(await bindings.patch(name, { spec: { parameters: { a: null, b: 1 } } })).toMatchObject(
      denied(403, message),
    );
    expect(await bindings.patch(name, { spec: { secretTemplate: 'x' } })).toMatchObject({ status: 200 });
    expect(await bindings.delete(name)).toMatchObject({ status: 200 });
  });

  test('a replaced ServiceBinding keeps its marks', async () => {
    const created = binding();
    const { name } = created.metadata;
    const labels = { [`${group}/stale`]: 'id', [`${group}/rotationOf`]: 'origin' };
    await bindings.create({ ...created, metadata: { name, labels } });
    const change = { metadata: { labels: { [`${group}/rotationOf`]: 'other' } } };
    expect(await bindings.patch(name, change)).toMatchObject(
      denied(403, 'modifying rotation labels is not allowed'),
    );
    expect(await bindings.patch(name, { spec: { secretName: 'other' } })).toMatchObject(
      denied(403, 'updating service bindings is not supported'),
    );
  });
});

test('users cannot set the label of a replaced ServiceBinding, which the provider itself sets', async () => {
  const labels = { [`${group}/stale`]: 'id' };
  const created = binding();
  const body = { ...created, metadata: { ...created.metadata, labels } };
  const asUser = apiRequester(await plane.addUser({ name: uniqueName('user'), groups: ['system:masters'] }));
  const users = kindClient({ request: asUser } as ControlPlane, serviceBindings, 'default');
  const refused = denied(403, `the label ${group}/stale is set by the rotation of credentials only`);
  expect(await users.create(body)).toMatchObject(refused);
  expect(await users.create(created)).toMatchObject({ status: 201 });
  expect(await users.patch(created.metadata.name, { metadata: { labels } })).toMatchObject(refused);
  expect(
    await bindings.create({ ...body, metadata: { ...body.metadata, name: uniqueName('binding') } }),
  ).toMatchObject({ status: 201 });
});

describe('credentials of Service Manager', () => {
  const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;
  const secretOf = (name: string, data: Readonly<Record<string, string>>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: data,
  });
  const subaccountOf = (name: string) =>
    simulator.store.instances().find((each) => each.name === name)?.labels?.subaccount_id?.[0];

  test('take effect without a restart: of a namespace, with a client secret or a certificate', async () => {
    for (const form of ['secret', 'x509'] as const) {
      const namespace = await createNamespace();
      const client = clientOf('ServiceInstance', 'v1', namespace);
      const created = instance({ serviceOfferingName: 'sample', servicePlanName: 'standard' });
      const { name } = created.metadata;
      await client.create(created);
      await eventually(async () =>
        expect(await client.get(name)).toMatchObject({
          body: { status: { conditions: [{ message: expect.stringContaining('not found') }, {}] } },
        }),
      );
      const { [form]: data } = await simulator.credentials(`subaccount-${form}`);
      const body = secretOf('sap-btp-service-operator', data);
      expect(await plane.request(secretsIn(namespace), { method: 'POST', body })).toMatchObject({
        status: 201,
      });
      await eventually(async () =>
        expect(await client.get(name)).toMatchObject({ body: { status: { ready: 'True' } } }),
      );
      expect(subaccountOf(name)).toBe(`subaccount-${form}`);
      await client.delete(name);
      await eventually(async () => expect(await client.get(name)).toMatchObject({ status: 404 }));
    }
  });

  test('of a named Secret in the management namespace are used', async () => {
    const { secret } = await simulator.credentials('subaccount-named');
    const body = secretOf('named', secret);
    await plane.request(secretsIn(releaseNamespace), { method: 'POST', body });
    const created = instance({
      serviceOfferingName: 'sample',
      servicePlanName: 'standard',
      btpAccessCredentialsSecret: 'named',
    });
    const { name } = created.metadata;
    await instances.create(created);
    await eventually(async () =>
      expect(await instances.get(name)).toMatchObject({ body: { status: { ready: 'True' } } }),
    );
    expect(subaccountOf(name)).toBe('subaccount-named');
  });
});

test('it holds the Lease of the operator and records the cluster ID, and ends with 0', async () => {
  const namespace = await createNamespace();
  const own = await start(namespace, { ENABLE_WEBHOOKS: 'false' });
  const lease = () => plane.request(`${leasesOf(namespace)}/${leaseName}`);
  // The other process of this file holds the Lease of its namespace.
  await own.untilLogged('another SAP BTP service operator is running: this one waits');
  expect(await lease()).toMatchObject({ status: 404 });
  await eventually(async () => {
    expect(
      await plane.request(`/api/v1/namespaces/${namespace}/secrets/sap-btp-operator-clusterid`),
    ).toMatchObject({
      status: 200,
      body: {
        data: { INITIAL_CLUSTER_ID: Buffer.from('cluster-1').toString('base64') },
        metadata: { labels: { [`${group}/cluster-secret`]: 'true' } },
      },
    });
  });
  expect(own.logged('serving webhooks')).toEqual([]);
  own.signal('SIGTERM');
  expect(await own.gone).toBe('it ended with 0');
});

test('while another operator renews its Lease in any namespace, nothing of the group is written', async () => {
  const namespace = await createNamespace();
  const lease = (operation: 'create' | 'renew') => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: leaseName },
    spec: {
      ...(operation === 'create' ? { holderIdentity: 'operator_1', leaseDurationSeconds: 10 } : {}),
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    },
  });
  const renew = () =>
    plane.request(`${leasesOf(namespace)}/${leaseName}`, {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: lease('renew'),
    });
  await plane.request(leasesOf(namespace), { method: 'POST', body: lease('create') });
  const renewing = setInterval(() => void renew(), 300);
  try {
    await provider.untilLogged('the SAP BTP service operator stops');
    const created = instance();
    const { name } = created.metadata;
    const { body } = await instances.create(created);
    const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
    for (let count = 0; count < 10; count++) await renew();
    await provider.untilLogged('another SAP BTP service operator is running: this one waits');
    expect(await instances.get(name)).toMatchObject({ body: { metadata: { resourceVersion } } });
    clearInterval(renewing);
    await eventually(async () => {
      expect(await instances.get(name)).toMatchObject({
        body: {
          status: {
            conditions: expect.arrayContaining([
              expect.objectContaining({
                type: 'Succeeded',
                status: 'False',
                message: expect.stringContaining('secrets "sap-btp-service-operator" not found'),
              }),
            ]),
          },
        },
      });
    });
  } finally {
    clearInterval(renewing);
  }
});

test('another cluster ID than that of the first start ends it with an error', async () => {
  const env = { CLUSTER_ID: 'second', INITIAL_CLUSTER_ID: 'first', ENABLE_WEBHOOKS: 'false' };
  await expect(start('default', env)).rejects.toThrow(
    'ClusterID changed, which is not supported. Please redeploy with --set cluster.id=first',
  );
});

test('without a certificate for its webhooks it ends with an error', async () => {
  const missing = { WEBHOOK_CERT_DIR: join(folder, 'missing') };
  const own = await start('default', missing);
  expect(await own.gone).toBe('it ended with 1');
  expect(own.output()).toContain(`${join(folder, 'missing')}`);
});
