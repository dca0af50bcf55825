import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { finalizer } from '../metadata.ts';
import { startInstanceHarness } from '../serviceinstance/fixtures/instance-harness.fixture.ts';
import { type ServiceInstance, serviceInstances } from '../serviceinstance/resource.ts';
import { type BindingHarness, startBindingHarness } from './fixtures/binding-harness.fixture.ts';
import { serviceBindings } from './resource.ts';
import { boundInstance, sampleBinding } from './secret/secret.fixture.ts';

const key = { namespace: 'shop', name: 'orders' };

/** An instance that is ready. */
async function createInstance(h: BindingHarness): Promise<void> {
  const { spec } = boundInstance({ serviceOfferingName: 'xsuaa', servicePlanName: 'application' });
  const typed = { apiVersion: 'services.cloud.sap.com/v1', kind: 'ServiceInstance' } as const;
  await h.client.create(serviceInstances, { ...typed, metadata: key, spec });
  await h.wait();
}

describe('an instance that is deleted before its bindings', () => {
  let h: BindingHarness;
  const instance = () => h.client.peek<ServiceInstance>(serviceInstances, key);
  beforeEach(async () => {
    h = await startBindingHarness({ withInstances: true });
    await createInstance(h);
    for (const name of ['a', 'b']) await h.create({ secretName: name }, name);
    await h.client.delete(serviceInstances, key);
    // Until the backoff is as long as it can be.
    await h.wait(600_000);
    expect(instance()?.status?.conditions[0]).toMatchObject({
      reason: 'DeleteFailed',
      message: 'cannot delete the instance: it has 2 ServiceBindings in this cluster. Delete them too',
    });
    // Service Manager would refuse it.
    expect(h.sm.count('delete')).toBe(0);
  });
  afterEach(() => h.stop());

  test('[B12.1] is deleted as soon as the last one is gone, whatever its backoff is', async () => {
    await h.delete('a');
    await h.wait(100);
    await h.delete('b');
    await h.wait(100);
    expect(instance()).toBeUndefined();
    expect([h.sm.instances.size, h.sm.bindings.size]).toEqual([0, 0]);
    expect(h.sm.count('delete')).toBe(1);
  });

  test('says how many it waits for, and goes on when others remove them', async () => {
    h.sm.async('delete', { polls: 1000 });
    await h.delete('a');
    await h.delete('b');
    await h.wait(60_000);
    expect(instance()?.status?.conditions[0]).toMatchObject({
      reason: 'DeleteInProgress',
      message: 'the instance is deleted after its bindings: 2 ServiceBindings left',
    });
    // Whatever others write into their status.
    await h.patchStatus({ conditions: [] }, 'a');
    await h.patch({ metadata: { finalizers: null } }, 'b');
    await h.wait(60_000);
    expect(instance()?.status?.conditions[0]?.message).toBe(
      'the instance is deleted after its bindings: 1 ServiceBinding left',
    );
    expect(h.sm.count('delete')).toBe(0);
    await h.patch({ metadata: { finalizers: null } }, 'a');
    await h.wait(100);
    // Service Manager still has the bindings, and says so.
    expect(instance()?.status?.conditions[0]?.message).toBe(
      'could not delete instance due to existing bindings',
    );
  });

  test('fails as they do, also if only one of them does', async () => {
    h.credentialsError = new Error('no credentials');
    for (const name of ['a', 'b']) {
      await h.delete(name);
      await h.wait(60_000);
      expect(instance()?.status?.conditions[0]?.message).toContain('no credentials');
    }
    h.credentialsError = undefined;
    await h.wait(600_000);
    expect(instance()).toBeUndefined();
  });

  test('is tried when Service Manager refuses to delete one of them, and says what it answers', async () => {
    h.sm.fail('unbind', [refusal(400, 'in use')], 'forever');
    await h.delete('a');
    await h.wait(60_000);
    expect(instance()?.status?.conditions[0]?.message).toBe(
      'could not delete instance due to existing bindings',
    );
  });

  test('does not wait for bindings of an instance that had its name before', async () => {
    const { metadata, ...binding } = sampleBinding();
    const { uid: _, generation: __, ...named } = metadata;
    const older = { ...named, name: 'older', finalizers: [finalizer] };
    const status = { conditions: [], instanceID: 'id-of-before', bindingID: 'b-of-before' };
    h.client.seed(serviceBindings, { ...binding, metadata: older, status });
    for (const name of ['a', 'b']) await h.delete(name);
    await h.wait();
    expect(instance()).toBeUndefined();
  });

  test('does not wait for bindings of other namespaces that it refuses', async () => {
    await h.client.mergePatch(serviceInstances, key, {
      metadata: { annotations: { 'services.cloud.sap.com/allowCrossNamespaceBinding': 'false' } },
    });
    const { metadata, ...refused } = sampleBinding({ serviceInstanceNamespace: 'shop' });
    const { uid: _, generation: __, ...foreign } = metadata;
    await h.client.create(serviceBindings, {
      ...refused,
      metadata: { ...foreign, namespace: 'other', finalizers: [finalizer] },
    });
    for (const name of ['a', 'b']) await h.delete(name);
    await h.wait();
    expect(instance()).toBeUndefined();
  });

  test('is not tried again while others are left', async () => {
    const before = h.writes().length;
    await h.delete('a');
    await h.wait(100);
    expect(h.stored('a')).toBeUndefined();
    expect(h.sm.count('delete')).toBe(0);
    expect(h.writes().slice(before)).not.toContain('update serviceinstances status');
    await h.wait();
    expect(instance()?.status?.conditions[0]?.message).toBe(
      'cannot delete the instance: it has 1 ServiceBinding in this cluster. Delete it too',
    );
  });
});

test('an instance with bindings is updated as any other', async () => {
  const h = await startBindingHarness({ withInstances: true });
  await createInstance(h);
  await h.create();
  await h.client.mergePatch(serviceInstances, key, { spec: { parameters: { size: 2 } } });
  await h.wait(60_000);
  const stored = h.client.peek<ServiceInstance>(serviceInstances, key);
  expect(stored?.status?.conditions[0]).toMatchObject({ reason: 'Updated', status: 'True' });
  expect([...h.sm.instances.values()]).toEqual([expect.objectContaining({ parameters: { size: 2 } })]);
  await h.stop();
});

test('an instance whose binding is not deleted says so after a short moment', async () => {
  const h = await startBindingHarness({ withInstances: true });
  await createInstance(h);
  await h.create();
  await h.client.delete(serviceInstances, key);
  const said = () => h.client.peek<ServiceInstance>(serviceInstances, key)?.status?.conditions[0]?.reason;
  await h.wait(4900);
  expect(said()).toBe('Created');
  await h.wait(200);
  expect(said()).toBe('DeleteFailed');
  await h.stop();
});

test('a deletion in progress is polled to its end, whatever bindings are created meanwhile', async () => {
  const h = await startBindingHarness({ withInstances: true });
  await createInstance(h);
  h.sm.async('delete', { polls: 5 });
  await h.client.delete(serviceInstances, key);
  await h.wait(100);
  const { metadata, ...binding } = sampleBinding();
  const { uid: _, generation: __, ...named } = metadata;
  await h.client.create(serviceBindings, { ...binding, metadata: { ...named, finalizers: [finalizer] } });
  await h.wait(10_000);
  expect(h.client.peek(serviceInstances, key)).toBeUndefined();
  await h.stop();
});

describe('instances that are deleted together with their bindings', () => {
  test('say that they wait only if their bindings take long', async () => {
    const h = await startBindingHarness({ withInstances: true });
    await createInstance(h);
    await h.create();
    const said = () => h.client.peek<ServiceInstance>(serviceInstances, key)?.status?.conditions[0]?.message;
    const before = said();
    h.sm.async('delete', { polls: 1000 });
    await h.client.delete(serviceInstances, key);
    await h.delete();
    await h.wait(19_000);
    expect(said()).toBe(before);
    await h.wait(5000);
    expect(said()).toBe('the instance is deleted after its bindings: 1 ServiceBinding left');
    await h.stop();
  });

  test('are deleted in Service Manager after them, by one request each, in any order', async () => {
    const h = await startBindingHarness({ withInstances: true });
    const names = Array.from({ length: 20 }, (_, index) => `i-${index}`);
    const { spec } = boundInstance({ serviceOfferingName: 'xsuaa', servicePlanName: 'application' });
    for (const name of names) {
      await h.client.create(serviceInstances, {
        apiVersion: 'services.cloud.sap.com/v1',
        kind: 'ServiceInstance',
        metadata: { namespace: 'shop', name },
        spec: { ...spec, externalName: name },
      });
    }
    await h.wait();
    for (const name of names) await h.create({ serviceInstanceName: name, secretName: name }, `b-${name}`);
    const writes = h.writes().length;
    const calls = h.sm.calls.length;
    // Some instances go first, some of them noticeably, some bindings, some at the same time.
    for (const [index, name] of names.entries()) {
      const deletions = [
        () => h.client.delete(serviceInstances, { namespace: 'shop', name }),
        () => h.client.delete(serviceBindings, { namespace: 'shop', name: `b-${name}` }),
      ];
      if (index % 2 === 0) deletions.reverse();
      for (const act of deletions) {
        await act();
        if (index % 3 === 0) await h.wait(100);
      }
      if (index % 5 === 0) await h.wait(3);
    }
    await h.wait(1000);
    expect([h.sm.instances.size, h.sm.bindings.size]).toEqual([0, 0]);
    const made = h.sm.calls.slice(calls).map(({ call }) => call);
    expect(Object.groupBy(made, (call) => call)).toMatchObject({
      delete: names.map(() => 'delete'),
      unbind: names.map(() => 'unbind'),
    });
    expect(made).toHaveLength(2 * names.length);
    const statuses = h
      .writes()
      .slice(writes)
      .filter((write) => write.endsWith('status'));
    expect(statuses).toEqual([]);
    await h.stop();
  });
});

describe('a binding that waits for its next attempt', () => {
  const h = forEachTest(startBindingHarness);
  beforeEach(async () => {
    h.sm.add({ id: 'id-2', name: 'other' });
    await h.putInstance();
    h.credentialsError = new Error('cannot find credentials');
    await h.create();
    await h.wait(600_000);
    expect(h.condition('Succeeded')).toMatch(/^False Failed/);
    h.credentialsError = undefined;
  });

  test.each([
    { what: 'its credentials', patch: { spec: { btpAccessCredentialsSecret: 'other' } } },
    { what: 'its annotations', patch: { metadata: { annotations: { a: 'b' } } } },
    { what: 'its ID', patch: { status: { instanceID: 'id-2' } } },
  ])('is tried at once if its instance changes $what', async ({ patch }) => {
    await h.putInstance(patch);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test.each([
    { what: 'its labels', patch: { metadata: { labels: { a: 'b' } } } },
    { what: 'its plan', patch: { spec: { servicePlanName: 'other' } } },
    { what: 'its tags', patch: { status: { tags: ['other'] } } },
  ])('is not tried if its instance changes $what', async ({ patch }) => {
    await h.putInstance(patch);
    expect(h.condition('Succeeded')).toMatch(/^False Failed/);
  });
});

describe('a binding of an instance that is too large to be in memory', () => {
  const h = forEachTest(startBindingHarness);
  const parameters = { text: 'x'.repeat(100_000) };

  test('has the content of the whole instance in its Secret', async () => {
    const customTags = ['a'.repeat(6000), 'b'];
    await h.putInstance({ spec: { parameters, customTags } });
    await h.create();
    expect(h.condition('Ready')).toMatch(/^True/);
    expect(JSON.parse(h.secret()?.tags ?? '')).toEqual(['test', ...customTags]);
  });

  test('of another namespace is refused by the whole list of namespaces', async () => {
    const allowed = Array.from({ length: 1000 }, (_, n) => `team-${n}`).join(',');
    const annotations = { 'services.cloud.sap.com/allowedNamespacesForBinding': allowed };
    await h.putInstance({ metadata: { annotations }, spec: { parameters } }, 'data');
    await h.create({ serviceInstanceNamespace: 'data' });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/couldn't find the service instance/);
    expect(h.sm.count('bind')).toBe(0);
  });
});

describe('an ID in the status that belongs to another namespace', () => {
  const others = { clusterID: 'cluster-1', namespace: 'other', name: 'orders' };

  test('of an instance: no binding gets its credentials', async () => {
    const h = await startBindingHarness();
    h.sm.add({ id: 'id-2', identity: others });
    await h.putInstance({ status: { instanceID: 'id-2' } });
    await h.create();
    expect(h.condition('Succeeded')).toMatch(/does not belong to namespace shop/);
    expect([h.sm.count('bind'), h.secret()]).toEqual([0, undefined]);
    await h.stop();
  });

  test('of a binding: neither read into a Secret nor deleted', async () => {
    const h = await startBindingHarness();
    await h.putInstance();
    await h.create();
    await h.wait();
    const [own] = h.sm.bindings.values();
    if (own === undefined) throw new Error('not created');
    h.sm.bindings.set('b-9', { ...own, id: 'b-9', identity: others });
    await h.patchStatus({ bindingID: 'b-9' });
    await h.patch({ metadata: { annotations: { touched: 'x' } } });
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
    await h.restart();
    await h.delete();
    await h.wait();
    expect([h.stored(), h.sm.bindings.has('b-9')]).toEqual([undefined, true]);
    await h.stop();
  });

  test.each([
    { what: 'of an instance: neither updated nor deleted', status: {} },
    {
      what: 'of a failed create: not deleted',
      status: { operationType: 'create', operationURL: '/v1/service_instances/id-2/operations/op-1' },
    },
  ])('$what', async ({ status }) => {
    const h = await startInstanceHarness();
    await h.create();
    h.sm.add({
      id: 'id-2',
      identity: others,
      ready: false,
      lastOperation: { type: 'create', state: 'failed', id: 'op-1' },
    });
    await h.patchStatus({ instanceID: 'id-2', ...status });
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.wait();
    await h.restart();
    await h.delete();
    await h.wait(60_000);
    expect(h.sm.instances.get('id-2')).toMatchObject({ identity: others });
    expect([h.stored(), h.sm.instances.get('id-2')?.parameters]).toEqual([undefined, undefined]);
    await h.stop();
  });
});
