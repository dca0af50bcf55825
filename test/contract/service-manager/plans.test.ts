import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { PlanSelectionError } from '../../../internal/systems/btp/service-manager/index.ts';
import type { ServiceManagerSimulator } from '../../simulators/service-manager/simulator.ts';
import {
  callOptions,
  connectionsTo,
  credentialsOf,
  newInstance,
  openServiceManager,
  selection,
  startSimulator,
  thrownBy,
} from './set-up.ts';

let simulator: ServiceManagerSimulator;
const { connect, closeAll } = connectionsTo(() => simulator);
beforeAll(async () => {
  simulator = await startSimulator();
});
afterEach(async () => {
  await closeAll();
  simulator.reset();
});
afterAll(() => simulator.stop());

const lists = () => simulator.requests().filter(({ route }) => route !== 'grantToken');

test('[B131] a plan is selected by the names of offering and plan, with the tags of the offering', async () => {
  const client = await connect();
  await expect(client.selectPlan(selection, callOptions())).resolves.toMatchObject({
    plan: { id: 'plan-standard' },
    offering: { id: 'offering-sample', tags: ['test'] },
  });
  expect(lists().map(({ query }) => query.fieldQuery)).toEqual([
    "catalog_name eq 'sample' and data_center eq ''",
    "catalog_name eq 'standard' and service_offering_id in ('offering-sample')",
  ]);
  expect(simulator.violations()).toEqual([]);
});

test('a data center selects its own offering', async () => {
  const client = await connect();
  const inEu10 = { ...selection, dataCenter: 'eu10' };
  await expect(client.selectPlan(inEu10, callOptions())).resolves.toMatchObject({
    plan: { id: 'plan-eu10' },
  });
});

test('[B131] of several plans, the plan ID selects one', async () => {
  const client = await connect();
  const second = { ...selection, offeringName: 'ambiguous', planID: 'plan-ambiguous-2' };
  await expect(client.selectPlan(second, callOptions())).resolves.toMatchObject({
    plan: { id: 'plan-ambiguous-2' },
    offering: { id: 'offering-ambiguous-2' },
  });
});

describe('[B132] no plan is selected', () => {
  test.each([
    [
      'without an offering name',
      { offeringName: '' },
      'missing-names',
      "missing field values. Specify service name and plan name for the instance 'orders-db'",
    ],
    [
      'without a plan name',
      { planName: '' },
      'missing-names',
      "missing field values. Specify service name and plan name for the instance 'orders-db'",
    ],
    [
      'for an unknown offering',
      { offeringName: 'other', dataCenter: 'eu10' },
      'unknown-offering',
      "couldn't find the service offering 'other' on dataCenter 'eu10'",
    ],
    [
      'for an unknown plan',
      { planName: 'other' },
      'unknown-plan',
      expect.stringMatching(
        /^couldn't find the service plan 'other' for the service offering 'sample'; its plans are .*standard/,
      ),
    ],
    [
      'for the ID of another plan',
      { planID: 'plan-async' },
      'wrong-plan-id',
      "the provided plan ID 'plan-async' doesn't match the provided offering name 'sample' and plan name 'standard'",
    ],
    [
      'if several match',
      { offeringName: 'ambiguous' },
      'ambiguous',
      "ambiguity error: found more than one resource that matches the provided offering name 'ambiguous' and plan name 'standard'. Please provide servicePlanID",
    ],
  ])('%s', async (_reason, change, reason, message) => {
    const client = await connect();
    const error = await thrownBy(() => client.selectPlan({ ...selection, ...change }, callOptions()));
    expect(error).toBeInstanceOf(PlanSelectionError);
    expect(error).toMatchObject({ reason, message });
  });
});

describe('a list that no catalog has is refused', () => {
  test('with too many items, also in its only page', async () => {
    const client = await connect();
    const items = Array.from({ length: 10_001 }, (_, id) => ({ id: `${id}`, catalog_name: 'sample' }));
    simulator.faults.add({
      on: { route: 'listOfferings' },
      do: { kind: 'status', status: 200, body: { items } },
    });
    const error = await thrownBy(() => client.selectPlan(selection, callOptions()));
    expect(error.message).toMatch(/^cannot list service offerings: the list has more than .*, 10000 items/);
  });

  test('with pages that are large together', async () => {
    const client = await connect();
    for (let page = 0; page < 5; page++) {
      const items = [{ id: 'i', catalog_name: 'sample', tags: ['x'.repeat(2_000_000)] }];
      simulator.faults.add({
        on: { route: 'listOfferings', skip: page, first: 1 },
        do: { kind: 'status', status: 200, body: { items, token: `${page}` } },
      });
    }
    const error = await thrownBy(() => client.selectPlan(selection, callOptions()));
    expect(error.message).toContain('or 8388608 characters');
    expect(lists()).toHaveLength(5);
  });
});

test('a plan is found by its ID, with its offering', async () => {
  const client = await connect();
  await expect(client.planByID('plan-eu10', callOptions())).resolves.toMatchObject({
    plan: { id: 'plan-eu10' },
    offering: { id: 'offering-sample-eu10', tags: ['test', 'eu10'] },
  });
  await expect(client.planByID('other', callOptions())).resolves.toBeUndefined();
});

describe('plans in memory', () => {
  test('[B12.7] are used by all clients with the same credentials until they are too old', async () => {
    const clock = createFakeClock();
    const manager = openServiceManager({ clock, catalogFreshMs: 60_000 });
    const credentials = await credentialsOf(simulator);
    const select = async () => {
      const client = manager.connect(credentials);
      await client.selectPlan(selection, callOptions());
      await client.close();
    };
    await Promise.all([select(), select()]);
    await select();
    expect(lists()).toHaveLength(2);
    await clock.advance(60_000);
    await select();
    expect(lists()).toHaveLength(4);
    await manager.close();
  });

  test('are asked for again if they have no such plan', async () => {
    const client = await connect();
    await client.selectPlan(selection, callOptions());
    await thrownBy(() => client.selectPlan({ ...selection, planID: 'plan-new' }, callOptions()));
    expect(lists()).toHaveLength(4);
  });

  test.each([
    { status: 404, error: 'NotFound', times: 2 },
    { status: 400, error: 'BadRequest', times: 2 },
    { status: 409, error: 'Conflict', times: 1 },
    { status: 503, error: 'ServiceUnavailable', times: 1 },
  ])('are listed $times times if Service Manager answers $status to a create', async (each) => {
    const { status, error, times } = each;
    const client = await connect();
    await client.selectPlan(selection, callOptions());
    simulator.faults.add({
      on: { route: 'createInstance' },
      do: { kind: 'status', status, body: { error, description: 'no such plan' } },
    });
    await thrownBy(() => client.createInstance(newInstance, callOptions()));
    await client.selectPlan(selection, callOptions());
    expect(lists().filter(({ route }) => route === 'listPlans')).toHaveLength(times);
  });
});
