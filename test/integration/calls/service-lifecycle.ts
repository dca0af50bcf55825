import { expect } from '@jest/globals';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { secretManifest } from '../../environment/manifests.ts';
import type { Route } from '../../simulators/service-manager/contract.ts';
import type { BtpEnvironment } from '../btp/btp-environment.ts';
import type { BindingOfTest, InstanceOfTest } from '../btp/objects-of-test.ts';
import type { CallFault } from './call-faults.ts';

/** The calls in the life of an instance and its binding. Both are looked up only when an outcome is unknown. */
export const serviceRoutes = [
  'grantToken',
  'listOfferings',
  'listPlans',
  'listInstances',
  'createInstance',
  'getInstance',
  'getInstanceOperation',
  'updateInstance',
  'deleteInstance',
  'listBindings',
  'createBinding',
  'getBinding',
  'getBindingOperation',
  'deleteBinding',
] as const satisfies readonly Route[];

export interface ServiceCell extends CallFault {
  readonly route: (typeof serviceRoutes)[number];
}

/** Service Manager's objects of one cell; there must never be two of a kind at a time. */
function externalIDs(instance: InstanceOfTest, binding: BindingOfTest) {
  const known = new Set<string>();
  return {
    known,
    check: () => {
      for (const { id } of instance.external()) known.add(id);
      expect(instance.external().length).toBeLessThanOrEqual(1);
      expect(binding.external().length).toBeLessThanOrEqual(1);
    },
  };
}

/** Creates, updates and deletes an instance with a binding, of a subaccount of their own, with one fault. */
export async function holds(
  environment: BtpEnvironment,
  { route, action, misleads }: ServiceCell,
  timeoutMs: number,
): Promise<void> {
  const { simulator, objects } = environment;
  const instance = await environment.instance();
  const { name } = instance;
  const binding = environment.binding(instance);
  const { secret } = await simulator.credentials(name);
  await objects.apply(secrets, secretManifest({ namespace: name, name: 'sap-btp-service-operator' }, secret));
  const { known, check } = externalIDs(instance, binding);
  const until = (assertion: () => Promise<unknown>) =>
    eventually(
      async () => {
        check();
        await assertion();
      },
      { timeoutMs },
    );
  const on = { clientID: secret.clientid ?? '', first: 1 };
  const fault = simulator.faults.add({ on: { route, ...on }, do: action });
  // Lists look for what a create without a response has left.
  if (route === 'listInstances')
    simulator.faults.add({ on: { route: 'createInstance', ...on }, do: { kind: 'reset', when: 'after' } });
  if (route === 'listBindings')
    simulator.faults.add({ on: { route: 'createBinding', ...on }, do: { kind: 'reset', when: 'after' } });
  if (route === 'getInstanceOperation')
    simulator.modes.add({ on: { kind: 'instance', name }, mode: { async: { polls: 2 } } });
  if (route === 'getBindingOperation')
    simulator.modes.add({ on: { kind: 'binding', name: binding.name }, mode: { async: { polls: 2 } } });

  await instance.create({ parameters: { size: 1 } });
  await until(async () => expect(await instance.condition('Succeeded')).toMatch(/^True Created/));
  await binding.create();
  const untilUsable = () =>
    until(async () => {
      expect(await binding.condition('Ready')).toMatch(/^True/);
      expect(binding.password()).toBeDefined();
      expect((await binding.entries())?.password).toBe(binding.password());
    });
  await untilUsable();
  if (route === 'getBinding') {
    // The credentials are read again for it.
    await binding.deleteSecret();
    await untilUsable();
  }
  await instance.patch({ parameters: { size: 2 } });
  await until(async () => expect(await instance.condition('Succeeded')).toMatch(/^True Updated/));
  expect(instance.external()).toMatchObject([{ parameters: { size: 2 } }]);

  await binding.delete();
  await until(async () => expect(await binding.find()).toBeUndefined());
  // A 404 of the API, and a complete response of success, are believed.
  const isDenied =
    action.kind === 'status'
      ? action.status === 404 && action.when === 'before'
      : action.kind === 'slow-body' && misleads;
  const bindingsLeft = binding.external();
  expect(bindingsLeft.length).toBeLessThanOrEqual(route === 'deleteBinding' && isDenied ? 1 : 0);
  expect(await binding.secret()).toBeUndefined();
  // As an administrator would; the instance could not be deleted before.
  for (const { id } of bindingsLeft) simulator.store.removeBinding(id);
  await instance.delete();
  await until(async () => expect(await instance.find()).toBeUndefined());
  expect(instance.external().length).toBeLessThanOrEqual(route === 'deleteInstance' && isDenied ? 1 : 0);
  expect(known.size).toBe(1);
  expect(fault.hits()).toBe(1);
}
