import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { createEventBroadcaster } from '../../../internal/framework/kube/events/event-broadcaster.ts';
import type { CoreEvent } from '../../../internal/framework/kube/object/core-event.ts';
import { configMaps, events } from '../../../internal/framework/kube/object/resource-type.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { connect, createNamespace, namespaces } from './connect.ts';

let client: RestClient;
const namespace = uniqueName('events');

beforeAll(async () => {
  const { management } = await controlPlanes();
  client = connect(management.kubeconfig);
  await createNamespace(client, namespace);
});
afterAll(async () => {
  await client.delete(namespaces, { name: namespace });
  await client.close();
});

async function eventsOf(name: string, where: string): Promise<CoreEvent[]> {
  const { items } = await client.list(events, {
    namespace: where,
    fieldSelector: `involvedObject.name=${name}`,
  });
  return items;
}

test('repetitions raise a count, similar events become one, and long messages are cut', async () => {
  const broadcaster = createEventBroadcaster({ client, clock: systemClock });
  const { record } = broadcaster.recorderFor('managed/test');
  const object = await client.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'subject', namespace },
  });
  for (let i = 0; i < 5; i++) record(object, 'Normal', 'Repeated', 'the same', { 'external-name': 'x' });
  for (let i = 0; i < 15; i++) record(object, 'Warning', 'Similar', `attempt ${i}`);
  record(object, 'Normal', 'Long', 'ü'.repeat(4000));
  await broadcaster.close();

  const found = await eventsOf('subject', namespace);
  const reported = (reason: string) =>
    found.filter((event) => event.reason === reason).map(({ message, count }) => `${count} × ${message}`);
  expect(reported('Repeated')).toEqual(['5 × the same']);
  expect(reported('Similar')).toHaveLength(10);
  expect(reported('Similar')).toContain('6 × (combined from similar events): attempt 14');
  expect(found.find(({ reason }) => reason === 'Repeated')).toMatchObject({
    metadata: { annotations: { 'external-name': 'x' } },
    involvedObject: { kind: 'ConfigMap', uid: object.metadata.uid },
    source: { component: 'managed/test' },
    reportingComponent: 'managed/test',
  });
});

test('an event of a cluster-scoped object is in the namespace default', async () => {
  const broadcaster = createEventBroadcaster({ client, clock: systemClock });
  const object = await client.get(namespaces, { name: namespace });
  broadcaster.recorderFor('managed/test').record(object, 'Normal', 'Seen', 'here');
  await broadcaster.close();
  expect(await eventsOf(namespace, 'default')).toMatchObject([{ reason: 'Seen', message: 'here' }]);
});
