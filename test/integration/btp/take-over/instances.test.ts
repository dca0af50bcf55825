/** ServiceInstances that SAP's operator leaves in each phase: this provider goes on where that one ended. */
import '../../harness/timeout.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type ServiceInstance,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { Secret } from '../../../../internal/framework/kube/object/object.ts';
import { secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../../environment/eventually.ts';
import { type BtpEnvironment, startBtpEnvironment } from '../btp-environment.ts';
import { goInstance, namespace } from './go-objects.ts';
import { instanceAction, instanceFields } from './go-reading.ts';
import { type InstancePhase, instancePhases, watchedSecret } from './instance-phases.ts';
import { leaveTraces, type OperatorTraces } from './operator-traces.ts';
import { type External, goHash, type Predecessor, startPredecessor } from './predecessor.ts';
import { type TakeOver, takeOver } from './take-over.ts';

let environment: BtpEnvironment;
let predecessor: Predecessor;
let done: TakeOver;
let traces: OperatorTraces;
let secretBefore: Secret;
const left = new Map<string, { readonly external: External; readonly object: ServiceInstance }>();

const find = (name: string) => environment.objects.find(serviceInstances, { namespace, name });
async function leave(phase: InstancePhase): Promise<void> {
  const { name, external: state, status = {}, prepare, ...options } = phase;
  const external = await predecessor.instance(name, state);
  const { id: instanceID, operationURL } = external;
  const object = goInstance(name, {
    ...options,
    status: {
      hashedSpec: goHash(name, options.spec),
      ...(instanceID ? { instanceID, subaccountID: 'subaccount-1', tags: ['test'] } : {}),
      ...(operationURL ? { operationURL } : {}),
      ready: 'False',
      ...status,
    },
  });
  await prepare?.({ environment, predecessor, instanceID, object });
  await predecessor.store(object);
  left.set(name, { external, object });
}

beforeAll(async () => {
  environment = await startBtpEnvironment();
  predecessor = await startPredecessor(environment);
  for (const phase of instancePhases) await leave(phase);
  secretBefore = await environment.objects.get(secrets, watchedSecret);
  traces = await leaveTraces(environment);
  const isSettled = ({ external, status, requests }: InstancePhase) =>
    external === 'ready' && status?.ready === 'True' && requests === undefined;
  done = await takeOver({
    environment,
    phases: instancePhases,
    find,
    // Those that are settled are read once.
    finish: (after) =>
      eventually(() => {
        const requests = environment.simulator.requests({ route: 'getInstance', after });
        const read = requests.map(({ instance }) => instance);
        for (const { name } of instancePhases.filter(isSettled))
          expect(read).toContain(left.get(name)?.external.id);
      }),
  });
}, 300_000);
afterAll(async () => {
  await predecessor?.close();
  await environment?.stop();
});

describe.each(instancePhases)('an instance $title', (phase) => {
  const { name, requests = [], isUnchanged = false, hasNone = false } = phase;
  test(`causes ${requests.join(', ') || 'no change in Service Manager'}`, () => {
    expect(done.changesOf(name, left.get(name)?.external.id)).toEqual(requests);
  });

  test('is in Service Manager once, or not at all', () => {
    const { simulator } = environment;
    const found = simulator.store.instances().filter((instance) => instance.name === name);
    expect(found).toHaveLength(phase.result === 'gone' || hasNone ? 0 : 1);
  });

  if (isUnchanged)
    test('is not written', async () => {
      const { metadata, ...object } = (await find(name)) ?? {};
      const stored = left.get(name)?.object;
      expect({ ...object, metadata: { ...metadata, resourceVersion: undefined } }).toEqual({
        ...stored,
        metadata: { ...stored?.metadata, resourceVersion: undefined },
      });
    });

  test('can be read by SAP’s operator, which has nothing else to do', async () => {
    const found = await find(name);
    if (found === undefined) return;
    expect(instanceFields(found)).toEqual([]);
    expect(instanceAction(found)).toBe('nothing');
  });
});

test('the marks of a watched Secret stay', async () => {
  expect(await environment.objects.get(secrets, watchedSecret)).toEqual(secretBefore);
});

test('the Secret with the cluster ID and the Lease of the operator are used as they are', async () => {
  await traces.expectUsed();
});

test('no request was outside of the contract', () => {
  expect(environment.simulator.violations()).toEqual([]);
});
