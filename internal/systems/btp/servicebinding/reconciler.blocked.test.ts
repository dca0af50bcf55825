import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { serviceInstances } from '../serviceinstance/resource.ts';
import { startBindingHarness } from './fixtures/binding-harness.fixture.ts';

const h = forEachTest(startBindingHarness);

const missing = "False Blocked couldn't find the service instance 'orders' in namespace 'shop'";

describe('a binding is blocked, and created as soon as the precondition holds', () => {
  test('[B70] without its instance', async () => {
    await h.createBlocked();
    expect(h.condition('Succeeded')).toBe(missing);
    expect(h.condition('Ready')).toBe('False NotProvisioned');
    expect(h.recorder.lines()).toEqual([`Warning Blocked: ${missing.slice('False Blocked '.length)}`]);
    await h.putInstance();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('without its instance, if there can be none of its name', async () => {
    await h.createBlocked({ serviceInstanceName: 'My_DB' });
    expect(h.condition('Succeeded')).toMatch(
      /in namespace 'shop': "My_DB" cannot be the name of a ServiceInstance/,
    );
    await h.patch({ spec: { serviceInstanceName: 'orders' } });
    await h.putInstance();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('[B90] [B91] before its instance is ready', async () => {
    await h.putInstance({ status: { ready: 'False', instanceID: null } });
    await h.createBlocked();
    expect(h.condition('Succeeded')).toBe('False Blocked service instance is not ready');
    await h.putInstance({ status: { ready: 'True', instanceID: 'id-1' } });
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.sm.count('bind')).toBe(1);
  });

  test('[B92] while its instance is being deleted', async () => {
    await h.putInstance({ metadata: { finalizers: ['x/y'] } });
    await h.client.delete(serviceInstances, { namespace: 'shop', name: 'orders' });
    await h.create();
    expect(h.condition('Succeeded')).toBe('False Blocked instance is in deletion process');
    expect(h.sm.calls).toEqual([]);
  });

  test.each([
    { what: 'is deleted', change: () => h.removeInstance(), reason: "couldn't find the service instance" },
    {
      what: 'loses its ID',
      change: () => h.putInstance({ status: { instanceID: null } }),
      reason: 'service instance is not ready',
    },
  ])(
    'whose instance $what after it was found ready: no request names an instance without ID',
    async (lost) => {
      await h.putInstance();
      const stop = h.client.onRequest(async ({ verb, type }) => {
        if (verb !== 'list' || type.kind !== 'Secret') return;
        stop();
        void lost.change();
      });
      await h.create();
      await h.wait(60_000);
      expect(h.condition('Succeeded')).toContain(`False Blocked ${lost.reason}`);
      expect(h.recorder.lines().join()).not.toContain('Failed');
      expect(h.sm.calls).toEqual([]);
    },
  );

  test('before its instance is ready, and says when that is deleted instead', async () => {
    await h.putInstance({ metadata: { finalizers: ['x/y'] }, status: { ready: 'False' } });
    await h.createBlocked();
    expect(h.condition('Succeeded')).toBe('False Blocked service instance is not ready');
    await h.client.delete(serviceInstances, { namespace: 'shop', name: 'orders' });
    await h.wait(10);
    expect(h.condition('Succeeded')).toBe('False Blocked instance is in deletion process');
  });

  test('[B71] while another object has a Secret of that name', async () => {
    await h.putInstance();
    await h.putSecret('orders-secret', {});
    await h.create();
    expect(h.condition('Succeeded')).toBe(
      "False Blocked the specified secret name 'orders-secret' is already taken. Choose another name and try again",
    );
    await h.patch({ metadata: { annotations: { touched: 'x' } } });
    expect(h.sm.calls).toEqual([]);
    await h.client.delete(secrets, { namespace: 'shop', name: 'orders-secret' });
    await h.wait(200);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('while another binding is being created whose Secret has the name, and Service Manager has one binding', async () => {
    await h.putInstance();
    h.sm.async('create', { polls: 3, state: 'succeeded' });
    await Promise.all([h.create({}, 'first'), h.create()]);
    await h.wait(60_000);
    expect(h.sm.count('bind')).toBe(1);
    expect(h.condition('Succeeded')).toMatch(
      /^False Blocked secret orders-secret belongs to another binding first/,
    );
    await h.patch({ spec: { secretName: 'other' } });
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('[B72] while another binding has the Secret, until it gets another name', async () => {
    await h.putInstance();
    await h.create({}, 'first');
    const calls = h.sm.calls.length;
    await h.create();
    expect(h.sm.calls.length).toBe(calls);
    expect(h.condition('Succeeded')).toBe(
      'False Blocked secret orders-secret belongs to another binding first, choose a different name',
    );
    await h.patch({ spec: { secretName: 'second-secret' } });
    await h.wait(200);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.secret('second-secret')?.password).toBe('secret-orders-db');
    expect(h.secret()?.password).toBe('secret-first');
  });
});

describe('a binding that is created together with its instance', () => {
  test.each([
    ['exists', {}],
    ['is ready', { status: { ready: 'False', instanceID: null } }],
  ])(
    'before it %s, is not written meanwhile: its finalizer and its result are two writes',
    async (_, before) => {
      if ('status' in before) await h.putInstance(before);
      await h.create();
      await h.wait(4900);
      expect(h.condition('Succeeded')).toBeUndefined();
      await h.putInstance({ status: { ready: 'True', instanceID: 'id-1' } });
      expect(h.condition('Succeeded')).toMatch(/^True Created/);
      expect(h.writes().filter((write) => write.startsWith('update servicebindings'))).toEqual([
        'update servicebindings',
        'update servicebindings status',
      ]);
    },
  );
});

describe('a bound binding', () => {
  test('stays ready while its instance is missing, and is restored with it', async () => {
    await h.putInstance();
    await h.create();
    await h.removeInstance();
    expect(h.condition('Succeeded')).toBe(missing);
    expect(h.condition('Ready')).toBe('True Provisioned');
    await h.putInstance();
    await h.wait(100);
    expect(h.condition('Succeeded')).toBe('True Created ServiceBinding provisioned successfully');
    expect(h.secret()?.password).toBe('secret-orders-db');
  });

  test('gets an edit that was made while it was blocked', async () => {
    await h.putInstance();
    await h.create();
    await h.putInstance({ status: { ready: 'False' } });
    expect(h.condition('Succeeded')).toBe('False Blocked service instance is not ready');
    await h.patch({ spec: { secretKey: 'all' } });
    await h.putInstance({ status: { ready: 'True' } });
    await h.wait(100);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.secret()?.all).toBe('{"user":"user-orders-db","password":"secret-orders-db","port":443}');
  });

  test('[B127] is not found with its instance, and ready again with it', async () => {
    await h.putInstance();
    await h.create();
    const notFound = { type: 'Ready', status: 'False', reason: 'NotFound', lastTransitionTime: '' };
    await h.putInstance({ status: { ready: 'False', conditions: [notFound] } });
    expect(h.condition('Ready')).toMatch(
      /^False NotFound binding b-1 not found for this cluster or namespace/,
    );
    expect(h.condition('Succeeded')).toBeUndefined();
    expect(h.logLines.join()).not.toContain('TypeError');
    await h.putInstance({ status: { ready: 'True', conditions: [] } });
    await h.wait(100);
    expect(h.condition('Ready')).toMatch(/^True Provisioned/);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('is not found when its instance, which was not ready, turns out to be lost', async () => {
    await h.putInstance();
    await h.create();
    const ready = (reason: string) => ({ type: 'Ready', status: 'False', reason, lastTransitionTime: '' });
    await h.putInstance({ status: { ready: 'False', conditions: [ready('NotProvisioned')] } });
    expect(h.condition('Ready')).toMatch(/^True/);
    await h.putInstance({ status: { conditions: [ready('NotFound')] } });
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
  });

  test('[B127] that is not found with its instance can be deleted', async () => {
    await h.putInstance();
    await h.create();
    const notFound = { type: 'Ready', status: 'False', reason: 'NotFound', lastTransitionTime: '' };
    await h.putInstance({ status: { ready: 'False', conditions: [notFound] } });
    h.sm.bindings.clear();
    await h.delete();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
  });
});

describe('an instance of another namespace', () => {
  const inOther = { serviceInstanceNamespace: 'platform' };
  const refused = "False Blocked couldn't find the service instance 'orders' in namespace 'platform'";

  test('[B125] is bound, and the Secret is in the namespace of the binding', async () => {
    await h.putInstance({}, 'platform');
    await h.create(inOther);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.secret()?.password).toBe('secret-orders-db');
    expect(h.sm.bindings.get('b-1')?.identity.namespace).toBe('shop');
  });

  test.each([
    { annotations: { allowCrossNamespaceBinding: 'false' } },
    { annotations: { allowCrossNamespaceBinding: 'False' } },
    { annotations: { allowedNamespacesForBinding: 'office,bank' } },
    { annotations: { allowedNamespacesForBinding: '' } },
    { annotations: { allowCrossNamespaceBinding: 'false', allowedNamespacesForBinding: 'shop' } },
  ])('[B12.9] that refuses the namespace is as good as missing: $annotations', async ({ annotations }) => {
    await h.putInstance({ metadata: { annotations: prefixed(annotations) } }, 'platform');
    await h.createBlocked(inOther);
    expect(h.condition('Succeeded')).toBe(refused);
    expect(h.sm.calls).toEqual([]);
    const removed = Object.fromEntries(Object.keys(prefixed(annotations)).map((name) => [name, null]));
    await h.putInstance({ metadata: { annotations: removed } }, 'platform');
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test.each([
    { annotations: { allowCrossNamespaceBinding: 'true' } },
    { annotations: { allowedNamespacesForBinding: 'office,shop' } },
    { annotations: { allowedNamespacesForBinding: 'office, shop' } },
  ])('that allows the namespace is bound: $annotations', async ({ annotations }) => {
    await h.putInstance({ metadata: { annotations: prefixed(annotations) } }, 'platform');
    await h.create(inOther);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('binds in its own namespace whatever it refuses', async () => {
    await h.putInstance({ metadata: { annotations: prefixed({ allowCrossNamespaceBinding: 'false' }) } });
    await h.create();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });
});

const prefixed = (annotations: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [`services.cloud.sap.com/${name}`, value]),
  );

test.each([
  [
    { secretName: 'Orders_Secret' },
    { secretName: 'orders-secret' },
    'spec.secretName: "Orders_Secret" cannot be',
  ],
  [{ secretKey: 'my key' }, { secretKey: 'my-key' }, 'spec.secretKey: "my key" is not a valid key'],
  [{ secretRootKey: 'a/b' }, { secretRootKey: 'root' }, 'spec.secretRootKey: "a/b" is not a valid key'],
])(
  'a binding whose Secret cannot have the name %j is not created before it is corrected',
  async (bad, good, text) => {
    await h.putInstance();
    await h.create(bad);
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toContain(`False Blocked ${text}`);
    expect(h.sm.count('bind')).toBe(0);
    await h.patch({ spec: good });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  },
);

test('a key that no Secret can have is corrected while the binding was never ready', async () => {
  await h.putInstance();
  h.sm.credentials = () => JSON.stringify({ 'url:public': 'https://example.org' });
  await h.create();
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(
    /^False CreateFailed .*"url:public" is not a valid key .* Use spec.secretKey/,
  );
  await h.patch({ spec: { secretKey: 'credentials' } });
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  expect(h.secret()).toMatchObject({ credentials: '{"url:public":"https://example.org"}' });
  expect(h.sm.count('bind')).toBe(1);
});
