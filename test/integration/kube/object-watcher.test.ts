import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AuditEvent, ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import type { Secret } from '../../../internal/framework/kube/object/object.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import {
  createObjectWatcher,
  type ObjectWatcher,
} from '../../../internal/framework/kube/watched-objects/object-watcher.ts';
import { eventually } from '../../environment/eventually.ts';
import { openNetworkPath } from '../../environment/network-path.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { connect, createNamespace, namespaces } from './connect.ts';
import { grant } from './grant.ts';

let plane: ControlPlaneAccess;
let admin: RestClient;
/** The user under test, whose requests the audit log identifies. */
let client: RestClient;
let objectWatcher: ObjectWatcher;
let user: string;
let namespace: string;

beforeAll(async () => {
  ({ kyma: plane } = await controlPlanes());
  admin = connect(plane.kubeconfig);
});
afterAll(() => admin.close());
beforeEach(async () => {
  user = uniqueName('waiter');
  namespace = uniqueName('object-watcher');
  await createNamespace(admin, namespace);
  client = connect(await plane.addUser({ name: user }));
  objectWatcher = createObjectWatcher({ client, clock: systemClock });
});
afterEach(async () => {
  objectWatcher.close();
  await client.close();
  await admin.delete(namespaces, { name: namespace });
});

const secret = (name: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  data: { password: 'eA==' },
});
const key = (name: string) => ({ namespace, name });
const mayWatch = () => grant(admin, { namespace, user, type: secrets, verbs: ['get', 'list', 'watch'] });

/** Makes a change and waits until the observer is notified. */
async function expectNotified(name: string, seen: string, change: () => Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { stop } = objectWatcher.watch(secrets, key(name), seen, () => resolve());
  await change();
  await expect(promise).resolves.toBeUndefined();
  stop();
}

async function requestsOf(name: string): Promise<AuditEvent[]> {
  return (await plane.auditEvents(name)).filter((event) => event.user.username === name);
}

describe('where watching is allowed', () => {
  beforeEach(async () => {
    await mayWatch();
    await eventually(() => client.listMetadata(secrets, { namespace }));
  });

  test('changes before the watch was opened are reported too, a deletion from an empty namespace included', async () => {
    const { metadata } = await admin.create(secrets, secret('a'));
    await admin.mergePatch(secrets, key('a'), { metadata: { labels: { a: 'b' } } });
    await expectNotified('a', metadata.resourceVersion ?? '', async () => undefined);
    const { metadata: latest } = await admin.get(secrets, key('a'));
    objectWatcher.close();
    objectWatcher = createObjectWatcher({ client, clock: systemClock });
    await admin.delete(secrets, key('a'));
    await expectNotified('a', latest.resourceVersion ?? '', async () => undefined);
  });

  test('a watch whose connection is cut is resumed, and nothing is missed', async () => {
    const proxy = await openNetworkPath(plane.server);
    const cuttable = connect(await plane.addUser({ name: user }), { server: `https://${proxy.address}` });
    objectWatcher.close();
    objectWatcher = createObjectWatcher({ client: cuttable, clock: systemClock });
    await expectNotified('a', 'absent', async () => {
      await eventually(() => expect(proxy.reset()).toBeGreaterThan(0));
      await admin.create(secrets, secret('a'));
    });
    await cuttable.close();
    await proxy.close();
  });
});

describe('where watching is forbidden', () => {
  test('with get alone, as in the role that SAP documents, a change is found by polling', async () => {
    await grant(admin, { namespace, user, type: secrets, verbs: ['get'] });
    await expectNotified('a', 'absent', () => admin.create(secrets, secret('a')));
    const requests = await requestsOf(user);
    expect(requests.filter(({ stage, verb }) => stage === 'ResponseComplete' && verb === 'list')).toEqual([]);
    expect(
      requests.filter(({ verb }) => verb === 'get').every(({ objectRef }) => objectRef?.name === 'a'),
    ).toBe(true);
  });
});
