/** A mothership and component reconcilers, from the registration of a cluster to its deletion. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAuthority } from '../../../../hack/control-planes/access/authority.ts';
import { configMaps, namespaces } from '../../../../internal/framework/kube/object/resource-type.ts';
import { KYMA_VERSION } from '../../../environment/components/kyma-workspace.ts';
import { eventually } from '../../../environment/eventually.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { clusterDocument, componentOf } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases, type TestDatabases } from '../../../environment/postgres/test-databases.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { type ComponentEnvironment, startComponentEnvironment } from './component-environment.ts';

const PROMPT = '--progress-interval=100ms';

let environment: ComponentEnvironment;
let databases: TestDatabases;
let folder: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  environment = await startComponentEnvironment();
  folder = await mkdtemp(join(tmpdir(), 'component-access-'));
});
const started: MothershipProgram[] = [];
afterAll(async () => {
  await Promise.all(started.map((mothership) => mothership.stop()));
  await databases?.close();
  await environment?.stop();
  await rm(folder, { recursive: true, force: true });
});
async function startMothership(options: Parameters<typeof startMothershipProgram>[0]) {
  const databaseUrl = await databases.server?.createDatabase();
  const mothership = await startMothershipProgram({ databaseUrl, ...options });
  started.push(mothership);
  return mothership;
}

const configMap = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { replicas: "{{ .Values.replicas }}", domain: "{{ .Values.global.domain }}" }
`;

/** A cluster with two components, the first of which comes before all others. */
async function newCluster() {
  const [first, second] = await Promise.all([
    environment.component(configMap),
    environment.component(configMap),
  ]);
  const runtimeID = uniqueName('runtime');
  const configuration = [
    { key: 'replicas', value: 2, secret: false },
    { key: 'global.domain', value: 'example.org', secret: false },
  ];
  const document = clusterDocument(
    runtimeID,
    [first, second].map(({ name }) => componentOf(name, { namespace: name, configuration })),
    { kubeconfig: environment.plane.kubeconfig },
  );
  return {
    runtimeID,
    first,
    second,
    document: { ...document, kymaConfig: { ...document.kymaConfig, version: KYMA_VERSION } },
  };
}

type Cluster = Awaited<ReturnType<typeof newCluster>>;

async function register(mothership: MothershipProgram, { document }: Cluster): Promise<void> {
  expect(await mothership.call('POST', '/v1/clusters', { body: document })).toMatchObject({ status: 200 });
}

const untilStatus = (mothership: MothershipProgram, { runtimeID }: Cluster, status: string) =>
  eventually(async () => {
    const answer = await mothership.call('GET', `/v1/clusters/${runtimeID}/status`);
    expect(answer.body).toMatchObject({ status });
  });
const untilGone = (mothership: MothershipProgram, { runtimeID }: Cluster) =>
  eventually(async () => {
    const { status } = await mothership.call('GET', `/v1/clusters/${runtimeID}/status`);
    expect(status).toBe(404);
  });

const settingsOf = (namespace: string) =>
  environment.objects.find(configMaps, { namespace, name: 'settings' });

test.concurrent('a registered cluster has its components and becomes ready; deleted, it has none and is gone', async () => {
  const component = await environment.processes.start({
    workspace: environment.workspace.folder,
    args: [PROMPT],
  });
  const mothership = await startMothership({ reconciler: `${component.url}/v1/run` });
  const cluster = await newCluster();
  await register(mothership, cluster);
  await untilStatus(mothership, cluster, 'ready');
  for (const { name } of [cluster.first, cluster.second]) {
    expect((await settingsOf(name))?.data).toEqual({ replicas: '2', domain: 'example.org' });
  }

  await mothership.call('DELETE', `/v1/clusters/${cluster.runtimeID}`);
  await untilGone(mothership, cluster);
  for (const { name } of [cluster.first, cluster.second]) {
    expect(await settingsOf(name)).toBeUndefined();
    const namespace = await environment.objects.find(namespaces, { name });
    expect(namespace?.metadata.deletionTimestamp ?? 'gone').toEqual(expect.any(String));
  }
});

test.concurrent('a component reconciler with tokens works for a mothership that has one, and for no other', async () => {
  const tokens = join(folder, 'tokens');
  const token = join(folder, 'token');
  await Promise.all([writeFile(tokens, 'first\nsecond\n'), writeFile(token, 'second\n')]);
  const component = await environment.processes.start({
    workspace: environment.workspace.folder,
    args: [`--token-file=${tokens}`, PROMPT],
  });
  const reconciler = `${component.url}/v1/run`;
  const cluster = await newCluster();
  const stranger = await startMothership({ reconciler });
  await register(stranger, cluster);
  await eventually(() => expect(component.output()).not.toContain('"offer"'));
  const mothership = await startMothership({ reconciler, flags: { componentTokenFile: token } });
  await register(mothership, cluster);
  await untilStatus(mothership, cluster, 'ready');
  await untilStatus(stranger, cluster, 'reconciling');
});

test.concurrent('with certificates both know each other', async () => {
  const authority = await createAuthority('reconcilers');
  const [server, client] = await Promise.all([
    authority.issueServer(['127.0.0.1']),
    authority.issueClient('mothership'),
  ]);
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const [ca, serverCrt, serverKey, clientCrt, clientKey] = await Promise.all([
    write('ca.crt', authority.certificate),
    write('server.crt', server.certificate),
    write('server.key', server.key),
    write('client.crt', client.certificate),
    write('client.key', client.key),
  ]);
  const component = await environment.processes.start({
    workspace: environment.workspace.folder,
    args: [
      `--server-crt=${serverCrt}`,
      `--server-key=${serverKey}`,
      `--client-ca-file=${ca}`,
      `--callback-ca-file=${ca}`,
      `--client-crt=${clientCrt}`,
      `--client-key=${clientKey}`,
    ],
    env: { WORKERPOOL_OCCUPANCY_TRACKING_ENABLED: 'true' },
  });
  const mothership = await startMothership({
    scheme: 'https',
    reconciler: `${component.url.replace('http:', 'https:')}/v1/run`,
    flags: {
      serverCrt,
      serverKey,
      clientCaFile: ca,
      componentClientCrt: clientCrt,
      componentClientKey: clientKey,
      componentCaFile: ca,
    },
  });
  const cluster = await newCluster();
  const call = trusting(authority.certificate, mothership.url);
  expect(await call('POST', '/v1/clusters', cluster.document)).toMatchObject({ status: 200 });
  await eventually(async () => {
    const { body } = await call('GET', `/v1/clusters/${cluster.runtimeID}/status`);
    expect(JSON.parse(body)).toMatchObject({ status: 'ready' });
  });
  expect(component.output()).not.toContain('cannot report the occupancy');
});

/** A client that trusts this authority and no other. */
const trusting = (ca: string, baseUrl: string) => (method: string, path: string, body?: object) =>
  new Promise<{ readonly status: number | undefined; readonly body: string }>((done, fail) => {
    const sending = request(`${baseUrl}${path}`, { method, ca, agent: false }, async (response) => {
      done({ status: response.statusCode, body: await text(response) });
    });
    sending.on('error', fail);
    sending.end(body === undefined ? undefined : JSON.stringify(body));
  });
