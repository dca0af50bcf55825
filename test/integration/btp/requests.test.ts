/** What instances and bindings cost, as the API server and Service Manager recorded it. */
import '../harness/timeout.ts';
import { beforeAll, expect, test } from '@jest/globals';
import {
  type ServiceBinding,
  serviceBindings,
} from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  serviceInstances,
} from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { eventually } from '../../environment/eventually.ts';
import { serviceBindingManifest, serviceInstanceManifest } from '../../environment/manifests.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { forFile } from '../harness/for-file.ts';
import { startBtpEnvironment } from './btp-environment.ts';
import { createNamespace } from './objects-of-test.ts';

const STATUS = 'update serviceinstances/status';
/** As in `show-progress.ts`. */
const MOMENT_MS = 5000;
const NAMES = Array.from({ length: 20 }, (_, index) => `o-${index}`);

const environment = forFile(startBtpEnvironment);
let namespace: string;
beforeAll(async () => {
  await environment.start();
  namespace = uniqueName('cost');
  await createNamespace(environment.objects, namespace);
});

const isReady = ({ status }: ServiceInstance | ServiceBinding) => status?.ready === 'True';

/** Requests of the module about objects of the namespace since the last call, by verb and resource. Lists are shared by all. */
let counted = 0;
async function requestsSince(): Promise<Record<string, number>> {
  const events = (await environment.plane.auditEvents(namespace)).filter(
    ({ verb, userAgent = '', objectRef }) =>
      userAgent.startsWith('provider-kyma') &&
      objectRef?.namespace === namespace &&
      !['list', 'watch'].includes(verb),
  );
  const made: Record<string, number> = {};
  for (const { verb, objectRef: { resource = '', subresource } = {} } of events.slice(counted)) {
    const kind = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
    made[kind] = (made[kind] ?? 0) + 1;
  }
  counted = events.length;
  return made;
}

test('an instance costs three writes, and no read', async () => {
  // There is a token from now on.
  const first = await environment.instance();
  await first.create();
  await first.until('Ready', /^True/);
  const startedAt = systemClock.monotonic();
  await Promise.all(
    NAMES.map((name) =>
      environment.objects.apply(
        serviceInstances,
        serviceInstanceManifest(
          { namespace, name },
          { spec: { serviceOfferingName: 'sample', servicePlanName: 'standard' } },
        ) as ServiceInstance,
      ),
    ),
  );
  await eventually(async () => {
    const instances = await environment.objects.list(serviceInstances, namespace);
    expect(instances.filter(isReady)).toHaveLength(NAMES.length);
  });
  const ms = systemClock.monotonic() - startedAt;
  await settle('create events');
  const { [STATUS]: statuses = 0, ...others } = await requestsSince();
  expect(others).toEqual({ 'update serviceinstances': NAMES.length, 'create events': NAMES.length });
  // A create that takes longer than a moment shows its progress: on a busy machine.
  if (ms < MOMENT_MS) expect(statuses).toBe(NAMES.length);
  else expect(statuses).toBeLessThanOrEqual(2 * NAMES.length);
});

test('a binding costs four writes, and no read', async () => {
  await Promise.all(
    NAMES.map((name) =>
      environment.objects.apply(
        serviceBindings,
        serviceBindingManifest(
          { namespace, name },
          { spec: { serviceInstanceName: name } },
        ) as ServiceBinding,
      ),
    ),
  );
  await eventually(async () => {
    const bindings = await environment.objects.list(serviceBindings, namespace);
    expect(bindings.filter(isReady)).toHaveLength(NAMES.length);
  });
  await settle('create events', 2);
  expect(await requestsSince()).toEqual({
    'update servicebindings': NAMES.length,
    'create secrets': NAMES.length,
    'update servicebindings/status': NAMES.length,
    'create events': NAMES.length,
  });
});

test('instances that are deleted together with their bindings cost a request to Service Manager each, none of them refused, and no read', async () => {
  const { objects, simulator } = environment;
  const after = simulator.requests().at(-1)?.id ?? 0;
  await Promise.all(
    NAMES.map(async (name) => {
      await objects.delete(serviceInstances, { namespace, name });
      await objects.delete(serviceBindings, { namespace, name });
    }),
  );
  await eventually(async () => {
    expect(await objects.list(serviceInstances, namespace)).toEqual([]);
    expect(await objects.list(serviceBindings, namespace)).toEqual([]);
  });
  const requests = simulator.requests({ after });
  expect(Object.groupBy(requests, ({ route = '' }) => route)).toEqual({
    deleteInstance: NAMES.map(() => expect.objectContaining({ status: 200 })),
    deleteBinding: NAMES.map(() => expect.objectContaining({ status: 200 })),
  });
  await settle('create events', 4);
  expect(await requestsSince()).toEqual({
    'update serviceinstances': NAMES.length,
    'update servicebindings': NAMES.length,
    'delete secrets': NAMES.length,
    'create events': 2 * NAMES.length,
  });
});

/** Events are written after the objects. @param rounds in which each object had one */
async function settle(kind: string, rounds = 1): Promise<void> {
  const [verb = '', resource = ''] = kind.split(' ');
  await eventually(async () => {
    const events = await environment.plane.auditEvents(namespace);
    const made = events.filter(
      (event) =>
        event.verb === verb &&
        event.objectRef?.resource === resource &&
        event.objectRef.namespace === namespace,
    );
    expect(made).toHaveLength(rounds * NAMES.length);
  });
}
