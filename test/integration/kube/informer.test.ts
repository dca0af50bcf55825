import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { type Logger, nopLogger } from '../../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import {
  createInformer,
  createMetadataInformer,
  type Informer,
} from '../../../internal/framework/kube/cache/informer.ts';
import { createKubeClient, type RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import type { ConfigMap, KubeObject, Secret } from '../../../internal/framework/kube/object/object.ts';
import {
  configMaps,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { openNetworkPath } from '../../environment/network-path.ts';
import { startTlsServer } from '../hardening/tls-server.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { connect, createNamespace, namespaces } from './connect.ts';

let plane: ControlPlaneAccess;
let admin: RestClient;
const namespace = uniqueName('informer');

beforeAll(async () => {
  ({ management: plane } = await controlPlanes());
  admin = connect(plane.kubeconfig);
  await createNamespace(admin, namespace);
});
afterAll(async () => {
  await admin.delete(namespaces, { name: namespace });
  await admin.close();
});

const configMap = (name: string, round: number): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { informer: 'yes' } },
  data: { round: String(round) },
});

function informerOf<T extends KubeObject>(
  client: RestClient,
  type: ResourceType<T>,
  labelSelector?: string,
): Informer<T> {
  const selection = { namespace, ...(labelSelector === undefined ? {} : { labelSelector }) };
  return createInformer<T>({ client, type, selection, clock: systemClock, log: nopLogger });
}

test('follows everything although every connection is cut again and again', async () => {
  const proxy = await openNetworkPath(plane.server);
  const client = connect(plane.kubeconfig, { server: `https://${proxy.address}` });
  const cache = informerOf(client, configMaps, 'informer=yes');
  /** The state as the informer's handlers report it. */
  const reported = new Map<string, string>();
  cache.subscribe(({ type, object }) => {
    expect(reported.has(object.metadata.name)).toBe(type !== 'added');
    if (type === 'deleted') reported.delete(object.metadata.name);
    else reported.set(object.metadata.name, object.data?.round ?? '');
  });
  const stop = cache.start();
  await cache.whenSynced();
  let cuts = 0;
  for (let round = 0; round < 8; round++) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const name = `c${i}`;
        await admin.apply(configMaps, configMap(name, round), { fieldManager: 'test', force: true });
        if ((i + round) % 3 === 0) await admin.delete(configMaps, { namespace, name });
      }),
    );
    // Only what is open can be cut: wait for the watch to be back.
    await eventually(() => expect(cache.problem()).toBeUndefined());
    cuts += proxy.reset();
  }
  expect(cuts).toBeGreaterThanOrEqual(8);
  const { items } = await admin.list(configMaps, { namespace, labelSelector: 'informer=yes' });
  const expected = Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data?.round]));
  await eventually(() => {
    expect(Object.fromEntries(reported)).toEqual(expected);
    expect(Object.fromEntries(cache.list().map((each) => [each.metadata.name, each.data?.round]))).toEqual(
      expected,
    );
  });
  stop();
  await client.close();
  await proxy.close();
}, 60_000);

test('a gateway that asks for a day with Retry-After is asked again after a minute', async () => {
  const clock = createFakeClock();
  let requests = 0;
  const gateway = await startTlsServer((_request, response) => {
    requests++;
    if (requests === 1) response.writeHead(503, { 'retry-after': '86400' }).end('<h1>Maintenance</h1>');
    else response.writeHead(200).end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: [] }));
  });
  const config = parseUntrustedKubeconfig(gateway.kubeconfig('t'));
  const client = createKubeClient({ config, clock });
  const failures: unknown[] = [];
  const log: Logger = { ...nopLogger, info: (_message, fields) => failures.push(fields) };
  const cache = createInformer({ client, type: configMaps, clock, log });
  const stop = cache.start();
  await eventually(() => expect(failures).toMatchObject([{ retryInMs: 60_000 }]));

  await clock.advance(59_999);
  expect(requests).toBe(1);
  await clock.advance(1);
  await eventually(() => expect(cache.hasSynced()).toBe(true));

  stop();
  await client.close();
  await gateway.close();
});

test('of metadata alone follows Secrets without holding their data', async () => {
  const cache = createMetadataInformer({
    client: admin,
    type: secrets,
    selection: { namespace },
    clock: systemClock,
    log: nopLogger,
  });
  const stop = cache.start();
  await cache.whenSynced();
  const data = { password: Buffer.from('CANARY').toString('base64') };
  const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace }, data };
  const { metadata } = await admin.create(secrets, secret);
  await eventually(() => expect(cache.get(`${namespace}/s`)?.metadata.uid).toBe(metadata.uid));
  expect(JSON.stringify(cache.list())).not.toContain(data.password);
  await admin.delete(secrets, { namespace, name: 's' });
  await eventually(() => expect(cache.get(`${namespace}/s`)).toBeUndefined());
  stop();
});
