import { beforeEach, describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import type { ObjectMeta } from '../../../framework/kube/object/object.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { startHarnessWithInstance } from './fixtures/binding-harness.fixture.ts';

const HOUR = 3_600_000;
const key = { namespace: 'shop', name: 'orders-secret' };

const h = forEachTest(startHarnessWithInstance);
beforeEach(async () => {
  await h.create();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  h.sm.calls.splice(0);
});

const calls = () => h.sm.calls.map(({ call }) => call);
const stored = () => h.client.peek(secrets, key);
const patchSecret = async (patch: object) => {
  await h.client.mergePatch(secrets, key, patch);
  await h.wait(100);
};

/** Labels and annotations of another program. */
const applyMarks = (marks: Pick<ObjectMeta, 'labels' | 'annotations'>) => {
  const applied = { apiVersion: 'v1', kind: 'Secret', metadata: { ...key, ...marks } };
  return h.client.otherProgram().apply(secrets, applied, { fieldManager: 'replicator', force: true });
};

describe('the Secret of a bound binding', () => {
  test('[B76] is written again at once when it was deleted', async () => {
    const { uid } = stored()?.metadata ?? {};
    await h.client.delete(secrets, key);
    await h.wait(100);
    expect(h.secret()?.password).toBe('secret-orders-db');
    expect(stored()?.metadata.uid).not.toBe(uid);
    expect(calls()).toEqual(['getBinding']);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.recorder.lines().slice(-2)).toEqual([
      'Warning SecretDeleted: SecretDeleted',
      'Normal SecretCreated: ServiceBinding updated successfully',
    ]);
  });

  test.each([
    { change: 'an entry', patch: { data: { password: 'eA==' } } },
    { change: 'a new entry', patch: { data: { other: 'eA==' } } },
    { change: 'a removed entry', patch: { data: { password: null } } },
    { change: 'its annotation', patch: { metadata: { annotations: { binding: 'x' } } } },
    {
      change: 'its label',
      patch: { metadata: { labels: { 'services.cloud.sap.com/managed-by-sap-btp-operator': null } } },
    },
  ])('is repaired at once when others change it: $change', async ({ patch }) => {
    const before = stored();
    await patchSecret(patch);
    expect({ ...stored(), metadata: {} }).toEqual({ ...before, metadata: {} });
    expect(stored()?.metadata.labels).toEqual(before?.metadata.labels);
    expect(stored()?.metadata.annotations).toEqual(before?.metadata.annotations);
    expect(calls()).toEqual(['getBinding']);
  });

  test('keeps labels and annotations of others, without a request to Service Manager', async () => {
    await applyMarks({ annotations: { 'reloader/seen': 'x' }, labels: { team: 'shop' } });
    await h.wait(100);
    await h.patchStatus({ subaccountID: 'x' });
    await h.wait(100);
    expect(stored()?.metadata.annotations).toMatchObject({ 'reloader/seen': 'x' });
    expect(calls()).toEqual([]);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('is not overwritten when it belongs to another object', async () => {
    await h.stop();
    await h.client.mergePatch(secrets, key, {
      metadata: { ownerReferences: null },
      data: { password: 'eA==' },
    });
    await h.restart();
    expect(h.secret()?.password).toBe('x');
    expect(h.condition('Succeeded')).toMatch(
      /^False UpdateFailed the specified secret name 'orders-secret' is already/,
    );
    expect(h.condition('Ready')).toMatch(/^True/);
    await h.client.delete(secrets, key);
    await h.wait(200);
    expect(h.secret()?.password).toBe('secret-orders-db');
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  });

  test('keeps its credentials when Service Manager shows none', async () => {
    for (const binding of h.sm.bindings.values()) binding.credentials = undefined;
    await patchSecret({ data: { other: 'eA==' } });
    expect(h.secret()?.password).toBe('secret-orders-db');
    // Nothing was to be changed, so nothing has failed.
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('is written without credentials after it was deleted, if Service Manager shows none', async () => {
    for (const binding of h.sm.bindings.values()) binding.credentials = undefined;
    await h.client.delete(secrets, key);
    await h.wait(100);
    expect(h.secret()).toMatchObject({ instance_guid: 'id-1' });
    expect(h.secret()?.password).toBeUndefined();
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  });
});

describe('an edit', () => {
  const edit = { spec: { secretKey: 'all' } };

  test('writes the Secret', async () => {
    await h.patch(edit);
    expect(h.condition('Succeeded')).toBe('True Updated ServiceBinding updated successfully');
    expect(h.secret()?.all).toContain('"password":"secret-orders-db"');
    expect(h.secret()?.password).toBeUndefined();
    expect(h.stored()?.status?.observedGeneration).toBe(2);
  });

  test('keeps labels and annotations of others', async () => {
    await applyMarks({
      annotations: { 'replicator.v1.mittwald.de/replicate-to': 'a' },
      labels: { team: 'shop' },
    });
    await h.patch(edit);
    expect(h.secret()?.all).toBeDefined();
    expect(stored()?.metadata).toMatchObject({
      annotations: { 'replicator.v1.mittwald.de/replicate-to': 'a' },
      labels: { team: 'shop' },
    });
  });

  test('that Service Manager does not answer is not lost', async () => {
    h.sm.fail('getBinding', [refusal(503, 'out of order'), refusal(503, 'out of order')]);
    await h.patch(edit);
    expect(h.condition('Succeeded')).toBe('False UpdateFailed out of order');
    expect(h.condition('Ready')).toMatch(/^True/);
    await h.wait(4000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.secret()?.all).toBeDefined();
  });

  test('is not applied while Service Manager shows no credentials, and the condition says what to do', async () => {
    const found = h.sm.bindings.get('b-1');
    const { credentials } = found ?? {};
    if (found) found.credentials = undefined;
    await h.patch(edit);
    expect(h.condition('Succeeded')).toBe(
      'False UpdateFailed Service Manager shows no credentials for the binding: the Secret keeps those that it has and is not changed. If the binding has none, delete the Secret, and it is written without them',
    );
    expect(h.condition('Ready')).toMatch(/^True/);
    expect(h.secret()?.password).toBe('secret-orders-db');
    if (found && credentials !== undefined) found.credentials = credentials;
    await h.wait(5000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.secret()?.all).toContain('"password":"secret-orders-db"');
  });

  test('with invalid content fails until the next one', async () => {
    await h.patch({ spec: { secretRootKey: 'no key' } });
    expect(h.condition('Succeeded')).toMatch(/^False UpdateFailed failed to create secret/);
    expect(h.secret()?.password).toBe('secret-orders-db');
    await h.patch({ spec: { secretRootKey: 'root' } });
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(Object.keys(h.secret() ?? {})).toEqual(['root']);
  });
});

describe('an edit of the template', () => {
  const template = (entry: string) => ({ spec: { secretTemplate: `stringData:\n  login: ${entry}\n` } });

  test.each(['the instance is unusable', 'Service Manager throttles'])(
    'that removes a label, while %s, removes it from the Secret afterwards',
    async (state) => {
      const labels = 'metadata:\n  labels:\n    old: shop\n';
      await h.patch({ spec: { secretTemplate: `${labels}stringData:\n  login: x\n` } });
      expect(stored()?.metadata.labels).toMatchObject({ old: 'shop' });
      const isBlocked = state !== 'Service Manager throttles';
      if (isBlocked) await h.putInstance({ status: { ready: 'False' } });
      else h.sm.fail('getBinding', [throttled()]);
      await h.patch(template('x'));
      expect(h.condition('Succeeded')).toMatch(isBlocked ? /^False Blocked/ : /^False UpdateInProgress/);
      if (isBlocked) await h.putInstance({ status: { ready: 'True' } });
      await h.wait(60_000);
      expect(stored()?.metadata.labels).not.toHaveProperty('old');
      expect(h.condition('Succeeded')).toMatch(/^True Updated/);

      // The next comparison is no edit.
      await applyMarks({ labels: { team: 'shop' } });
      await h.wait(11 * HOUR);
      expect(stored()?.metadata.labels).toMatchObject({ team: 'shop' });
    },
  );

  test('[B105] [B106] writes the Secret, and without a template it has the default format again', async () => {
    await h.patch(template('{{ .credentials.user }}'));
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.secret()).toEqual({ login: 'user-orders-db' });
    await h.patch(template('{{ .credentials.password }}'));
    expect(h.secret()).toEqual({ login: 'secret-orders-db' });
    await h.patch({ spec: { secretTemplate: null } });
    expect(h.secret()).toMatchObject({ password: 'secret-orders-db', instance_guid: 'id-1' });
  });

  test('[B107] that is invalid fails, and a valid one writes the Secret', async () => {
    await h.patch(template('{{ .non_existing_key }}'));
    expect(h.condition('Succeeded')).toMatch(/^False UpdateFailed .*non_existing_key/);
    expect(h.condition('Ready')).toMatch(/^True/);
    expect(h.secret()?.password).toBe('secret-orders-db');
    await h.patch(template('{{ .credentials.user }}'));
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.secret()).toEqual({ login: 'user-orders-db' });
  });
});

test.each([
  { state: 'a settled binding', prepare: async () => undefined },
  {
    state: 'a binding whose instance is unusable',
    prepare: () => h.putInstance({ status: { ready: 'False' } }),
  },
  { state: 'a binding whose instance is gone', prepare: () => h.removeInstance() },
])('$state gets its finalizer again when others removed it', async ({ prepare }) => {
  const { finalizers } = h.stored()?.metadata ?? {};
  expect(finalizers).toHaveLength(1);
  await prepare();
  await h.patch({ metadata: { finalizers: null } });
  expect(h.stored()?.metadata.finalizers).toEqual(finalizers);
});

describe('a settled binding', () => {
  test('[B12.7] makes no request when others change its status, nor after a restart', async () => {
    const before = h.client.requests.length;
    await h.patchStatus({ subaccountID: 'x' });
    const touched = h.client.requests.slice(before).filter(({ verb }) => verb !== 'watch');
    expect(touched.map(({ verb }) => verb)).toEqual(['patch']);
    await h.restart();
    await h.wait(1000);
    expect(calls()).toEqual([]);
    expect(h.writes().at(-1)).toBe('patch servicebindings status');
  });

  test.each(['annotations', 'labels'])(
    'is looked up in Service Manager at once when a user changes its %s, and once only',
    async (marks) => {
      await h.patch({ metadata: { [marks]: { touched: 'x' } } });
      expect(calls()).toEqual(['getBinding']);
      await h.patchStatus({ subaccountID: 'x' });
      await h.wait(1000);
      expect(calls()).toEqual(['getBinding']);
      h.sm.bindings.clear();
      await h.patch({ metadata: { [marks]: { touched: 'y' } } });
      expect(h.condition('Ready')).toMatch(/^False NotFound/);
    },
  );

  test('is compared with Service Manager every ten hours', async () => {
    await h.wait(9 * HOUR);
    expect(calls()).toEqual([]);
    await h.wait(2 * HOUR);
    expect(calls()).toEqual(['getBinding']);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    await h.wait(10 * HOUR);
    expect(calls()).toHaveLength(2);
  });

  test('is compared as often if the clock is set back by a year, or ahead', async () => {
    for (const years of [-1, 2]) {
      const before = calls().length;
      h.clock.jump(years * 365 * 24 * HOUR);
      await h.wait(8 * HOUR);
      expect(calls().length - before).toBe(0);
      await h.wait(3 * HOUR);
      expect(calls().slice(before)).toEqual(['getBinding']);
    }
  });

  test('that Service Manager lost is not found, and becomes ready when it is there again', async () => {
    const lost = h.sm.bindings.get('b-1');
    h.sm.bindings.clear();
    await h.wait(11 * HOUR);
    expect(h.condition('Ready')).toMatch(/^False NotFound binding b-1 not found/);
    expect(h.secret()).toBeDefined();
    if (lost) h.sm.bindings.set(lost.id, lost);
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.condition('Ready')).toMatch(/^True Provisioned/);
  });
});

describe('after a restart', () => {
  test('a Secret that was changed meanwhile is repaired', async () => {
    await h.stop();
    await h.client.mergePatch(secrets, key, { data: { password: 'eA==' } });
    await h.restart();
    await h.wait(1000);
    expect(h.secret()?.password).toBe('secret-orders-db');
    expect(calls()).toEqual(['getBinding']);
  });

  test('a Secret of which only metadata of others changed is not written', async () => {
    await h.stop();
    await applyMarks({ annotations: { 'reloader/seen': 'x' } });
    const { resourceVersion } = stored()?.metadata ?? {};
    await h.restart();
    await h.wait(1000);
    expect(stored()?.metadata.resourceVersion).toBe(resourceVersion);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    await h.restart();
    await h.wait(1000);
    expect(calls()).toEqual(['getBinding']);
  });

  test('the Secret of a binding of another program counts as unchanged, and changes are noticed from then on', async () => {
    await h.stop();
    await h.patchStatus({ secretVersion: null });
    await h.client.mergePatch(secrets, key, { data: { password: 'eA==' } });
    await h.restart();
    await h.wait(1000);
    expect(h.secret()?.password).toBe('x');
    expect(calls()).toEqual([]);
    expect(h.stored()?.status?.secretVersion).toMatch(/./);
    await patchSecret({ data: { password: 'eQ==' } });
    expect(h.secret()?.password).toBe('secret-orders-db');
  });
});
