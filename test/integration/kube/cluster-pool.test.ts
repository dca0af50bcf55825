import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { findCause, ProviderError, WaitingError } from '../../../internal/framework/base/errors/errors.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import {
  type ClusterPool,
  createClusterPool,
} from '../../../internal/framework/kube/cluster/cluster-pool.ts';
import { isForbidden, isUnreachable } from '../../../internal/framework/kube/errors/errors.ts';
import type { Secret } from '../../../internal/framework/kube/object/object.ts';
import { configMaps, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import {
  createObjectWatcher,
  type ObjectWatcher,
} from '../../../internal/framework/kube/watched-objects/object-watcher.ts';
import { eventually } from '../../environment/eventually.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { connect, createNamespace, namespaces } from './connect.ts';
import { grant } from './grant.ts';

let management: ControlPlaneAccess;
let kyma: ControlPlaneAccess;
let admin: RestClient;
let kymaAdmin: RestClient;
let objectWatcher: ObjectWatcher;
let pool: ClusterPool;
let key: { namespace: string; name: string };
const namespace = uniqueName('pool');
const { signal } = new AbortController();

beforeAll(async () => {
  ({ management, kyma } = await controlPlanes());
  admin = connect(management.kubeconfig);
  kymaAdmin = connect(kyma.kubeconfig);
  await Promise.all([createNamespace(admin, namespace), createNamespace(kymaAdmin, namespace)]);
});
afterAll(async () => {
  await Promise.all([admin, kymaAdmin].map((client) => client.delete(namespaces, { name: namespace })));
  await Promise.all([admin.close(), kymaAdmin.close()]);
});
beforeEach(() => {
  key = { namespace, name: uniqueName('kubeconfig') };
  objectWatcher = createObjectWatcher({ client: admin, clock: systemClock });
  pool = createClusterPool({ client: admin, objectWatcher, clock: systemClock });
});
afterEach(() => {
  pool.close();
  objectWatcher.close();
});

const acquire = () => pool.acquire({ secret: key, kubeconfigKey: 'kubeconfig' }, signal);
async function store(kubeconfig: string): Promise<void> {
  const data = { kubeconfig: Buffer.from(kubeconfig).toString('base64') };
  const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: key, data };
  await admin.apply(secrets, secret, { fieldManager: 'test', force: true });
}
/** The kubeconfig of a user of the kyma cluster with these verbs on ConfigMaps. */
async function userWith(verbs: readonly string[]): Promise<string> {
  const user = uniqueName('pooled');
  await grant(kymaAdmin, { namespace, user, type: configMaps, verbs });
  return kyma.addUser({ name: user });
}
const list = async () => {
  const lease = await acquire();
  try {
    return await lease.cluster.client.list(configMaps, { namespace });
  } finally {
    lease.release();
  }
};

test('a rotated kubeconfig is used from the next acquire on, without a restart', async () => {
  await store(await userWith(['get']));
  await eventually(async () => expect(isForbidden(await list().catch((error: unknown) => error))).toBe(true));
  await store(await userWith(['list']));
  await eventually(list);
});

test('the rotation of a kubeconfig triggers those that wait for its cluster', async () => {
  await store(await userWith(['get']));
  const lease = await acquire();
  const { promise, resolve } = Promise.withResolvers<void>();
  lease.cluster.objectWatcher
    .target(configMaps, { namespace, name: 'none' }, 'absent')
    .watch(() => resolve());
  lease.release();
  await store(await userWith(['get', 'list']));
  await expect(promise).resolves.toBeUndefined();
});

test('a missing Secret is waited for, and its appearance triggers a reconcile', async () => {
  const error = await acquire().catch((e: unknown) => e);
  expect(error).toBeInstanceOf(WaitingError);
  const { promise, resolve } = Promise.withResolvers<void>();
  const targets = findCause(error, ProviderError)?.targets ?? [];
  const stops = targets.map((target) => target.watch(resolve));
  await store(await userWith(['get']));
  await promise;
  for (const stop of stops) stop();
  (await acquire()).release();
});

describe('a cluster that cannot be spoken to', () => {
  test('on a port without a listener is an unreachable cluster', async () => {
    const text = parse(kyma.kubeconfig);
    // Port 9 is "discard", which is not in use.
    text.clusters[0].cluster.server = 'https://127.0.0.1:9';
    await store(stringify(text));
    const error = await list().catch((e: unknown) => e);
    expect(isUnreachable(error)).toBe(true);
    expect(String(error)).toContain(
      `cannot list configmaps in namespace ${namespace} on cluster 127.0.0.1:9: connect ECONNREFUSED`,
    );
  });

  test('because its certificate is another is not: that must be fixed', async () => {
    const text = parse(kyma.kubeconfig);
    text.clusters[0].cluster['certificate-authority-data'] = parse(management.kubeconfig).clusters[0].cluster[
      'certificate-authority-data'
    ];
    await store(stringify(text));
    const error = await list().catch((e: unknown) => e);
    expect(isUnreachable(error)).toBe(false);
    expect(String(error)).toContain("the server's TLS certificate or handshake is refused");
  });
});
