import { describe, expect, test } from '@jest/globals';
import { NotLeaderError, noFence } from '../../../framework/base/concurrency/fence.ts';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { finalizer } from '../metadata.ts';
import { startHarnessWithInstance } from './fixtures/binding-harness.fixture.ts';
import { sampleBinding } from './secret/secret.fixture.ts';

const h = forEachTest(startHarnessWithInstance);

test('[B73] [B88] a binding is created with its parameters, and its Secret has the credentials', async () => {
  await h.putSecret('db', { size: 2 });
  const parametersFrom = [{ secretKeyRef: { name: 'db', key: 'parameters' } }];
  const userInfo = { username: 'jane' };
  await h.create({ parameters: { role: 'admin' }, parametersFrom, userInfo });
  const { metadata, status } = h.stored() ?? {};
  expect(metadata?.finalizers).toEqual([finalizer]);
  expect(status).toEqual({
    bindingID: 'b-1',
    instanceID: 'id-1',
    subaccountID: 'subaccount-1',
    viewer: 'viewer',
    instanceData: expect.stringMatching(/./),
    secretVersion: expect.stringMatching(/./),
    ready: 'True',
    observedGeneration: 1,
    conditions: [
      expect.objectContaining({ type: 'Succeeded', status: 'True', reason: 'Created' }),
      expect.objectContaining({ type: 'Ready', status: 'True', reason: 'Provisioned' }),
    ],
  });
  expect(h.condition('Succeeded')).toBe('True Created ServiceBinding provisioned successfully');
  expect(h.sm.bindings.get('b-1')).toMatchObject({
    name: 'orders-db',
    serviceInstanceID: 'id-1',
    identity: { clusterID: 'cluster-1', namespace: 'shop', name: 'orders-db' },
    parameters: { role: 'admin', size: 2 },
  });
  expect(h.secret()).toMatchObject({
    user: 'user-orders-db',
    password: 'secret-orders-db',
    instance_guid: 'id-1',
    tags: '["test","custom-tag"]',
  });
});

test('a binding costs two requests to Service Manager, four writes, its Secret and event included, and no read of a Secret', async () => {
  h.ownResources.created('shop', 'id-1', 'viewer');
  await h.create();
  await h.wait(60_000);
  expect(h.sm.calls.map(({ call }) => call)).toEqual(['findBindings', 'bind']);
  const own = h.writes().filter((write) => write !== 'create servicebindings');
  expect(own.slice(own.indexOf('update servicebindings'))).toEqual([
    'update servicebindings',
    'create secrets',
    'update servicebindings status',
  ]);
  const reads = h.client.requests.filter(({ verb, type }) => verb === 'get' && type === secrets);
  expect(reads).toEqual([]);
  expect(h.recorder.lines()).toEqual(['Normal SecretCreated: ServiceBinding provisioned successfully']);
});

test('[B87] names that are not set are the name of the object', async () => {
  await h.create({ externalName: '', secretName: '' });
  expect(h.sm.bindings.get('b-1')?.name).toBe('orders-db');
  expect(h.secret('orders-db')).toBeDefined();
});

test.each(['its name', 'another name'])(
  'a binding that follows a deleted one of %s gets the name of its Secret',
  async (name) => {
    h.sm.fail('bind', [refusal(400, 'no quota')], 'forever');
    await h.create();
    await h.wait(1000);
    expect(h.condition('Succeeded')).toContain('no quota');
    await h.delete();
    await h.wait(60_000);
    expect(h.stored()).toBeUndefined();
    h.sm.heal('bind');
    const successor = name === 'its name' ? 'orders-db' : 'successor';
    await h.create({}, successor);
    await h.wait(10_000);
    expect(h.condition('Ready', successor)).toMatch(/^True/);
  },
);

test('[B89] a failed update of the instance does not prevent a binding', async () => {
  const failed = { type: 'Succeeded', status: 'False', reason: 'UpdateFailed', lastTransitionTime: '' };
  await h.putInstance({ status: { conditions: [failed] } });
  await h.create();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});

test('a binding without its parameters is created when their Secret comes', async () => {
  await h.create({ parametersFrom: [{ secretKeyRef: { name: 'db', key: 'parameters' } }] });
  expect(h.condition('Succeeded')).toBe(
    'False CreateFailed secrets "db" not found (spec.parametersFrom names Secret shop/db)',
  );
  await h.putSecret('db', { size: 1 });
  await h.wait(200);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});

describe('credentials that make no Secret', () => {
  test('[B82] are a failed create, which shows none of them and keeps the binding', async () => {
    h.sm.credentials = () => '"very-secret-text"';
    await h.create();
    expect(h.condition('Succeeded')).toMatch(/^False CreateFailed failed to create secret/);
    expect(JSON.stringify(h.stored())).not.toContain('very-secret-text');
    expect(h.recorder.lines().join()).not.toContain('very-secret-text');
    expect(h.stored()?.status?.bindingID).toBe('b-1');
    expect(h.sm.count('bind')).toBe(1);
  });

  test('are read again for an edited template', async () => {
    h.client.onRequest(({ verb, type, body }) => {
      const { metadata } = (body ?? {}) as { metadata?: { name: string } };
      if (verb === 'create' && type === secrets && metadata?.name === 'orders-secret' && !healed)
        throw new Error('no room for secret-orders-db');
    });
    let healed = false;
    await h.create();
    expect(h.condition('Succeeded')).toBe('False CreateFailed no room for [redacted]');
    healed = true;
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.secret()?.password).toBe('secret-orders-db');
    expect(h.sm.calls.map(({ call }) => call)).toEqual(['findBindings', 'get', 'bind', 'getBinding']);
  });
});

describe('before a create is sent, the status says so', () => {
  const seen: (string | undefined)[] = [];
  const watchCreate = () => {
    seen.splice(0);
    h.sm.credentials = () => {
      seen.push(h.stored()?.status?.operationType, h.condition('Succeeded'));
      return '{}';
    };
  };

  test('unless it is the first one, of which the finalizer is the record', async () => {
    watchCreate();
    await h.create();
    expect(seen).toEqual([undefined, undefined]);
  });

  test('also of a create that an earlier process may have sent', async () => {
    watchCreate();
    const { metadata, ...binding } = sampleBinding();
    await h.apply({ ...binding, metadata: { ...metadata, finalizers: [finalizer] } });
    expect(seen).toEqual(['create', 'False CreateInProgress Pending']);
  });

  test('also of a binding that was blocked', async () => {
    await h.putInstance({ status: { ready: 'False' } });
    await h.createBlocked();
    watchCreate();
    await h.putInstance({ status: { ready: 'True' } });
    expect(seen).toEqual(['create', 'False CreateInProgress Pending']);
  });

  test('with the last failure in the condition', async () => {
    h.sm.fail('bind', [refusal(400, 'no quota')]);
    watchCreate();
    await h.create();
    await h.wait(2000);
    expect(seen).toEqual(['create', 'False CreateFailed no quota']);
  });
});

test('an asynchronous create whose binding is gone afterwards says so', async () => {
  h.sm.async('create', { polls: 0 });
  await h.create();
  const { operationURL = '' } = h.stored()?.status ?? {};
  await h.sm.client.getOperation(operationURL, { signal: new AbortController().signal });
  h.sm.bindings.clear();
  await h.wait(1000);
  expect(h.condition('Succeeded')).toBe('False CreateFailed cannot read service binding b-1: not found');
});

test('the Secret is not written by a process that lost its leadership while Service Manager responded', async () => {
  const { credentials } = h.sm;
  const noLeader = () => {
    throw new NotLeaderError('this replica does not lead');
  };
  h.sm.credentials = (name) => {
    h.fence = noLeader;
    return credentials(name);
  };
  await h.create();
  expect(h.sm.bindings.size).toBe(1);
  expect(h.secret()).toBeUndefined();

  h.fence = noFence;
  await h.restart();
  await h.wait();
  expect(h.secret()?.password).toBe('secret-orders-db');
  expect(h.sm.count('bind')).toBe(1);
});

test('values of parameters are not shown in an error after their Secret is gone', async () => {
  await h.putSecret('db', { password: 'hunter2-hunter2' });
  h.client.onRequest(({ verb, type }) => {
    if (verb === 'get' && type.kind === 'Secret' && h.sm.count('bind') > 0) throw apiError(404, 'NotFound');
  });
  h.sm.fail('bind', [refusal(400, 'invalid password hunter2-hunter2')]);
  await h.create({ parametersFrom: [{ secretKeyRef: { name: 'db', key: 'parameters' } }] });
  expect(h.condition('Succeeded')).toMatch(/invalid password /);
  expect(h.condition('Succeeded')).not.toContain('hunter2');
});

describe('a create whose result is unknown', () => {
  test('is found after the process ended before it recorded anything but the finalizer', async () => {
    h.client.onRequest(({ verb, subresource }) => {
      if (verb === 'update' && subresource === 'status' && crashes) throw new Error('process ended');
    });
    let crashes = true;
    await h.create();
    expect(h.stored()?.status).toBeUndefined();
    await h.stop();
    crashes = false;
    await h.restart();
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.sm.bindings.size).toBe(1);
    expect(h.stored()?.status?.bindingID).toBe('b-1');
  });
});
