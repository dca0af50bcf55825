import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { formatMicroTime } from '../../../framework/base/time/formats.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { leases } from '../../../framework/kube/object/resource-type.ts';
import { deployments, stopOperator } from './stop-operator.ts';

const namespace = 'release';
const deployment = { namespace, name: 'operator' };

function setup(holders: Readonly<Record<string, string>>) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const lines: string[] = [];
  client.seed(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: deployment,
    spec: { replicas: 2 },
  });
  for (const [name, holderIdentity] of Object.entries(holders)) {
    client.seed(leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace, name },
      spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: formatMicroTime(clock.now()) },
    });
  }
  const options = {
    client,
    clock,
    deployment,
    leases: [...Object.keys(holders), 'never-made'],
    report: (line: string) => lines.push(line),
    signal: () => new AbortController().signal,
  };
  const left = () =>
    Object.keys(holders).filter((name) => client.peek(leases, { namespace, name }) !== undefined);
  const replicas = () => client.peek(deployments, deployment)?.spec?.replicas;
  return { client, clock, lines, left, replicas, run: () => stopOperator(options) };
}

test('the Deployment has no pods any more, and a Lease goes when it is released', async () => {
  const { client, clock, left, replicas, lines, run } = setup({ first: 'pod-1', second: '' });
  const running = run();
  await clock.advance(2000);
  expect([replicas(), left()]).toEqual([0, ['first']]);
  await client.mergePatch(leases, { namespace, name: 'first' }, { spec: { holderIdentity: '' } });
  await clock.advance(2000);
  await running;
  expect([left(), lines]).toEqual([[], []]);
});

test('a Lease goes when it has expired', async () => {
  const { clock, left, run } = setup({ first: 'pod-1' });
  const running = run();
  await clock.advance(14_000);
  expect(left()).toEqual(['first']);
  await clock.advance(3000);
  await running;
  expect(left()).toEqual([]);
});

test('a Lease that another pod renews stays, and is named', async () => {
  const { client, clock, left, lines, run } = setup({ first: 'pod-1' });
  const running = run();
  for (let second = 0; second < 62; second++) {
    const renewTime = formatMicroTime(clock.now());
    await client.mergePatch(leases, { namespace, name: 'first' }, { spec: { renewTime } });
    await clock.advance(1000);
  }
  await running;
  expect(left()).toEqual(['first']);
  expect(lines).toEqual(['Lease release/first stays: it is held']);
});

test('a Lease that a pod acquires before it is deleted stays until it is free again', async () => {
  const { client, clock, left, lines, run } = setup({ first: '' });
  let isTaken = false;
  client.onRequest(async ({ verb, type }) => {
    if (verb !== 'delete' || type !== leases || isTaken) return;
    isTaken = true;
    const spec = {
      holderIdentity: 'pod-2',
      leaseDurationSeconds: 15,
      renewTime: formatMicroTime(clock.now()),
    };
    await client.otherProgram().mergePatch(leases, { namespace, name: 'first' }, { spec });
  });
  const running = run();
  await clock.advance(10_000);
  expect(left()).toEqual(['first']);
  await clock.advance(10_000);
  await running;
  expect([left(), lines]).toEqual([[], []]);
});
