/** What others remove or change in Service Manager is found, by lists that cost a request for each page. */
import '../harness/timeout.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { forFile } from '../harness/for-file.ts';
import { startBtpEnvironment } from './btp-environment.ts';

const environment = forFile(startBtpEnvironment);
beforeAll(async () => {
  await environment.start({ DRIFT_INTERVAL: '1s' });
});

const ready = async () => {
  const instance = await environment.instance();
  await instance.create();
  await instance.until('Ready', /^True/);
  const binding = environment.binding(instance);
  await binding.create();
  await binding.until('Ready', /^True/);
  return { instance, binding };
};
const lists = (route: 'listInstances' | 'listBindings') => environment.simulator.requests({ route }).length;
/** All but lists and tokens. */
const others = () =>
  environment.simulator
    .requests()
    .filter(({ route }) => route !== 'listInstances' && route !== 'listBindings' && route !== 'grantToken')
    .length;

test('at rest nothing is sent but one list of instances and one of bindings in each interval', async () => {
  for (let number = 0; number < 3; number++) await ready();
  const before = { instances: lists('listInstances'), bindings: lists('listBindings'), others: others() };
  await eventually(() => expect(lists('listInstances')).toBeGreaterThan(before.instances + 3));
  const [instances, bindings] = [lists('listInstances'), lists('listBindings')];
  expect(Math.abs(instances - before.instances - (bindings - before.bindings))).toBeLessThanOrEqual(1);
  // Plans are in memory for five minutes.
  expect(others() - before.others).toBeLessThanOrEqual(2);
});

test('an instance and a binding that others deleted in Service Manager become NotFound', async () => {
  const [one, other] = [await ready(), await ready()];
  const { store } = environment.simulator;
  store.removeBinding(one.binding.external()[0]?.id ?? '');
  await one.binding.until('Ready', /^False NotFound/);
  store.removeInstance(one.instance.external()[0]?.id ?? '');
  await one.instance.until('Ready', /^False NotFound/);
  expect(await other.binding.condition('Ready')).toMatch(/^True/);
});

test('a name that others changed is put right', async () => {
  const { instance } = await ready();
  const [external] = instance.external();
  if (external === undefined) throw new Error('the instance is not in Service Manager');
  Object.assign(external, { name: `${external.name}-renamed` });
  await eventually(() => expect(instance.external().map(({ name }) => name)).toEqual([instance.name]));
});
