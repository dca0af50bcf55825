/**
 * The fake of the unit tests behaves as the simulator does behind the real client: one table of cases runs against both. The
 * simulator is the reference. Texts of errors may differ.
 */
import { describe, expect, test } from '@jest/globals';
import { PlanSelectionError } from '../../../internal/systems/btp/service-manager/index.ts';
import {
  conflict,
  describeBoth,
  doneOf,
  helpersOf,
  identity,
  instance,
  labels,
  notFound,
  options,
  signal,
} from './both.ts';
import { thrownBy } from './set-up.ts';

describeBoth((tested) => {
  const { createInstance, createBinding, errorOf } = helpersOf(tested);

  describe('plans', () => {
    const selection = { instanceName: 'orders-db', offeringName: 'xsuaa', planName: 'application' };
    const selected = {
      plan: { id: 'plan-1', catalogName: 'application', serviceOfferingID: 'offering-1' },
      offering: { id: 'offering-1', catalogName: 'xsuaa', tags: ['test'] },
    };

    test('lists of a cluster have its instances and bindings, without credentials', async () => {
      const ids = [await createInstance('a'), await createInstance('b')];
      const bindingID = doneOf(
        await tested().client.createBinding(
          { name: 'key', serviceInstanceID: ids[0] ?? '', identity },
          options,
        ),
      ).id;
      const foreign = { ...identity, clusterID: 'other' };
      doneOf(await tested().client.createInstance({ ...instance, name: 'c', identity: foreign }, options));
      const found: string[] = [];
      await tested().client.eachInstance('cluster-1', (items) => found.push(...items.map(({ id }) => id)), {
        signal,
      });
      expect(found.sort()).toEqual([...ids].sort());
      const bindings: object[] = [];
      await tested().client.eachBinding('cluster-1', (items) => bindings.push(...items), { signal });
      expect(bindings).toMatchObject([{ id: bindingID, serviceInstanceID: ids[0] }]);
      expect(bindings[0]).not.toHaveProperty('credentials');
    });

    test('are selected by names, and found by ID', async () => {
      expect(await tested().client.selectPlan(selection, options)).toMatchObject(selected);
      expect(await tested().client.selectPlan({ ...selection, planID: 'plan-1' }, options)).toMatchObject(
        selected,
      );
      expect(await tested().client.planByID('plan-1', options)).toMatchObject(selected);
      expect(await tested().client.planByID('plan-9', options)).toBeUndefined();
    });

    test.each([
      ['missing-names', { planName: '' }],
      ['unknown-offering', { offeringName: 'other' }],
      ['unknown-offering', { dataCenter: 'eu10' }],
      ['unknown-plan', { planName: 'other' }],
      ['wrong-plan-id', { planID: 'plan-2' }],
    ])('refuse a selection: %s %j', async (reason, change) => {
      const error = await thrownBy(() => tested().client.selectPlan({ ...selection, ...change }, options));
      expect(error).toBeInstanceOf(PlanSelectionError);
      expect(error).toMatchObject({ reason, kind: 'transient' });
    });

    test('name the plans that the offering has for one that it has not', async () => {
      const selecting = tested().client.selectPlan({ ...selection, planName: 'other' }, options);
      await expect(selecting).rejects.toThrow(/'; its plans are [\w-]+(, [\w-]+)*$/);
    });
  });

  describe('an instance', () => {
    test('is created, read, found, updated, shared and deleted', async () => {
      const created = doneOf(
        await tested().client.createInstance({ ...instance, parameters: { a: 1 } }, options),
      );
      const { id } = created;
      const shown = {
        id,
        name: 'orders-db',
        servicePlanID: 'plan-1',
        subaccountID: 'subaccount-1',
        labels,
        ready: true,
        usable: true,
        shared: false,
      };
      const lastOperation = { id: expect.any(String), type: 'create', state: 'succeeded' };
      expect({ ...created, platformID: undefined }).toEqual(shown);
      const found = { ...(await tested().client.getInstance(id, options)), platformID: undefined };
      expect(found).toEqual({ ...shown, lastOperation });
      const query = { name: 'orders-db', identity };
      expect(await tested().client.findInstances(query, options)).toMatchObject([
        { ...shown, lastOperation },
      ]);
      const update = { name: 'renamed', servicePlanID: 'plan-2' };
      const updated = doneOf(await tested().client.updateInstance(id, update, options));
      expect(updated).toMatchObject({ ...shown, ...update });
      await tested().client.shareInstance(id, true, options);
      expect(await tested().client.getInstance(id, options)).toMatchObject({
        shared: true,
        lastOperation: { type: 'update', state: 'succeeded' },
      });
      await tested().client.shareInstance(id, false, options);
      expect(await tested().client.getInstance(id, options)).toMatchObject({ shared: false });
      expect(await tested().client.isInstanceListed(id, options)).toBe(true);
      expect(await tested().client.deleteInstance(id, options)).toEqual({ state: 'gone' });
      expect(await tested().client.deleteInstance(id, options)).toEqual({ state: 'absent' });
      expect(await tested().client.isInstanceListed(id, options)).toBe(false);
      expect(await tested().client.getInstance(id, options)).toBeUndefined();
    });

    test('is found only by its whole identity', async () => {
      const id = await createInstance();
      const find = async (name: string, change: Partial<typeof identity> = {}) => {
        const found = await tested().client.findInstances(
          { name, identity: { ...identity, ...change } },
          options,
        );
        return found.map((each) => each.id);
      };
      expect(await find('orders-db')).toEqual([id]);
      expect(await find('other')).toEqual([]);
      for (const change of [{ clusterID: 'other' }, { namespace: 'other' }, { name: 'other' }])
        expect(await find('orders-db', change)).toEqual([]);
    });

    test('has a name of its own', async () => {
      const id = await createInstance();
      const other = { ...instance, identity: { ...identity, name: 'other' } };
      expect(await errorOf(() => tested().client.createInstance(other, options))).toEqual(conflict);
      await createInstance('second');
      const update = { name: 'second', servicePlanID: 'plan-1' };
      expect(await errorOf(() => tested().client.updateInstance(id, update, options))).toEqual(conflict);
    });

    test('needs a plan, and to exist', async () => {
      const unplanned = { ...instance, servicePlanID: 'plan-9' };
      expect(await errorOf(() => tested().client.createInstance(unplanned, options))).toEqual(notFound);
      const update = { name: 'orders-db', servicePlanID: 'plan-1' };
      expect(await errorOf(() => tested().client.updateInstance('none', update, options))).toEqual(notFound);
      expect(await errorOf(() => tested().client.shareInstance('none', true, options))).toEqual(notFound);
      const id = await createInstance();
      const replanned = { ...update, servicePlanID: 'plan-9' };
      expect(await errorOf(() => tested().client.updateInstance(id, replanned, options))).toEqual(notFound);
    });

    test('with bindings cannot be deleted', async () => {
      const id = await createInstance();
      const { id: bindingID } = await createBinding(id);
      expect(await errorOf(() => tested().client.deleteInstance(id, options))).toMatchObject({
        class: 'non-transient',
        status: 400,
      });
      await tested().client.deleteBinding(bindingID, options);
      expect(await tested().client.deleteInstance(id, options)).toEqual({ state: 'gone' });
    });
  });

  describe('a binding', () => {
    test('is created, read, found, renamed and deleted', async () => {
      const serviceInstanceID = await createInstance();
      const created = await createBinding(serviceInstanceID);
      const { id, credentials = '' } = created;
      const shown = { id, name: 'key', serviceInstanceID, subaccountID: 'subaccount-1', labels, ready: true };
      expect({ ...created }).toEqual({ ...shown, credentials: expect.any(String) });
      expect(Object.keys(JSON.parse(credentials)).length).toBeGreaterThan(0);
      const lastOperation = { id: expect.any(String), type: 'create', state: 'succeeded' };
      expect({ ...(await tested().client.getBinding(id, options)) }).toEqual({
        ...shown,
        credentials,
        lastOperation,
      });
      const find = (name: string, kubernetesName = 'orders') =>
        tested().client.findBindings({ name, identity: { ...identity, name: kubernetesName } }, options);
      expect((await find('key')).map((each) => ({ ...each }))).toEqual([
        { ...shown, credentials, lastOperation },
      ]);
      expect(await find('key', 'other')).toEqual([]);
      const renamed = await tested().client.renameBinding(
        id,
        { name: 'backup', kubernetesName: 'other' },
        options,
      );
      const renamedLabels = { ...labels, _k8sname: ['other'] };
      expect(renamed).toMatchObject({ id, name: 'backup', labels: renamedLabels });
      expect(await find('key')).toEqual([]);
      expect(await find('backup', 'other')).toMatchObject([{ id, name: 'backup', labels: renamedLabels }]);
      expect(await tested().client.isBindingListed(id, options)).toBe(true);
      expect(await tested().client.deleteBinding(id, options)).toEqual({ state: 'gone' });
      expect(await tested().client.deleteBinding(id, options)).toEqual({ state: 'absent' });
      expect(await tested().client.isBindingListed(id, options)).toBe(false);
      expect(await tested().client.getBinding(id, options)).toBeUndefined();
    });

    test('shows no credentials when it is serialised', async () => {
      const { id, credentials = 'none' } = await createBinding(await createInstance());
      const read = await tested().client.getBinding(id, options);
      expect(JSON.stringify(read)).not.toContain(JSON.stringify(credentials));
      expect(read?.credentials).toBe(credentials);
    });

    test('has a name of its own for its instance', async () => {
      const id = await createInstance();
      const second = await createInstance('second');
      const { id: bindingID } = await createBinding(id);
      expect(await errorOf(() => createBinding(id))).toEqual(conflict);
      await createBinding(second);
      await createBinding(id, 'backup');
      const rename = { name: 'backup', kubernetesName: 'orders' };
      expect(await errorOf(() => tested().client.renameBinding(bindingID, rename, options))).toEqual(
        conflict,
      );
    });

    test('needs an instance, and to exist', async () => {
      expect(await errorOf(() => createBinding('none'))).toEqual(notFound);
      const rename = { name: 'backup', kubernetesName: 'orders' };
      expect(await errorOf(() => tested().client.renameBinding('none', rename, options))).toEqual(notFound);
    });
  });
});
