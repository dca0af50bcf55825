import { describe, expect, test } from '@jest/globals';
import { NotLeaderError } from '../../../framework/base/concurrency/fence.ts';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { secrets } from '../../../framework/kube/index.ts';
import { lostResponse, refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { readParameters } from '../parameters/read-parameters.ts';
import { startInstanceHarness } from './fixtures/instance-harness.fixture.ts';
import { sampleInstance } from './fixtures/serviceinstance.fixture.ts';

const h = forEachTest(startInstanceHarness);

describe('the Secrets of parametersFrom are bounded together', () => {
  const sources = (count: number, key = 'parameters') =>
    Array.from({ length: count }, (_, index) => ({ secretKeyRef: { name: `secret-${index}`, key } }));
  const putAll = async (count: number, length: number) => {
    for (let index = 0; index < count; index++)
      await h.putSecret(`secret-${index}`, { [`p${index}`]: 'x'.repeat(length) });
  };

  test('as many bytes as one Secret can have are sent', async () => {
    await putAll(2, 500_000);
    await h.create({ parametersFrom: sources(2) });
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test.each([
    { what: 'the values have more than 1048576 bytes', count: 3, key: 'parameters' },
    { what: 'the Secrets have more than 8388608 bytes', count: 17, key: 'other' },
  ])('$what: nothing is sent, until they have less', async ({ what, count, key }) => {
    await putAll(count, 500_000);
    await h.create({ parametersFrom: sources(count, key) });
    expect(h.condition('Succeeded')).toContain(`cannot read parametersFrom: ${what}`);
    expect(h.sm.count('create')).toBe(0);
    await h.patch({ spec: { parametersFrom: sources(1) } });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  const values = (count: number) => Array.from({ length: count }, (_, n) => n);
  const text = 'the parameters have more than 20000 fields and elements';
  test.each([
    { where: 'in parameters', inline: 20_000, inSecret: 0 },
    { where: 'in a Secret', inline: 0, inSecret: 20_000 },
    { where: 'together', inline: 10_000, inSecret: 10_000 },
  ])('too many values $where: nothing is sent, until there are less', async ({ inline, inSecret }) => {
    await h.putSecret('secret-0', { nested: values(inSecret) });
    await h.create({ parameters: { list: values(inline) }, parametersFrom: sources(1) });
    expect(h.condition('Succeeded')).toContain(text);
    expect(h.sm.count('create')).toBe(0);
    await h.putSecret('secret-0', { nested: [] });
    await h.patch({ spec: { parameters: null } });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('the values of a key that is named 256 times are masked once', async () => {
    await h.putSecret('db', { shared: ['value 1', 'value 2'] });
    const secretKeyRef = { name: 'db', key: 'parameters' };
    const instance = sampleInstance({
      parametersFrom: Array.from({ length: 256 }, () => ({ secretKeyRef })),
    });
    const { signal } = new AbortController();
    const objectWatcher = { target: () => Promise.reject(new Error('nothing is missing')) as never };
    const read = await readParameters(instance, { client: h.client, objectWatcher, signal });
    expect(read.confidential).toEqual([
      { name: 'shared', value: 'value 1' },
      { name: 'shared', value: 'value 2' },
    ]);
  });

  test('a key that is named 256 times is parsed once', async () => {
    await h.putSecret('db', { a: 'x'.repeat(500_000) });
    const parametersFrom = Array.from({ length: 256 }, () => ({
      secretKeyRef: { name: 'db', key: 'parameters' },
    }));
    await h.create({ parametersFrom });
    expect(h.condition('Succeeded')).toContain('conflict: duplicate entry for parameter "a"');
  });
});

describe('watched parameters', () => {
  const parametersFrom = [{ secretKeyRef: { name: 'db', key: 'parameters' } }];
  const watched = { watchParametersFromChanges: true, parametersFrom };
  const marksOf = (name: string) => {
    const { labels = {}, annotations, finalizers = [] } = secretOf(name)?.metadata ?? {};
    return { labels, annotations: Object.keys(annotations ?? {}).length, finalizers };
  };
  const secretOf = (name: string) => h.client.peek(secrets, { namespace: 'shop', name });
  const none = { labels: {}, annotations: 0, finalizers: [] };

  test('[B60] a changed Secret updates the instance once, and loses its marks with the instance', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    expect(marksOf('db')).toEqual({
      labels: { 'services.cloud.sap.com/watch-secret': 'true' },
      annotations: 1,
      finalizers: ['services.cloud.sap.com/sap-btp-finalizer'],
    });
    expect(h.stored()?.metadata.labels).toEqual({ 'services.cloud.sap.com/secret-ref_db': 'db' });
    await h.putSecret('db', { a: 2 });
    await h.wait();
    expect(h.sm.instances.get('id-1')).toMatchObject({ parameters: { a: 2 } });
    expect(h.sm.count('update')).toBe(1);
    await h.delete();
    await h.wait();
    expect(marksOf('db')).toEqual(none);
  });

  test('a throttled read of the Secret is an update in progress, which is repeated', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    let isThrottled = true;
    h.client.onRequest(({ verb, type }) => {
      if (isThrottled && verb === 'get' && type.kind === 'Secret') throw throttled();
    });
    await h.putSecret('db', { a: 2 });
    expect(h.condition('Succeeded')).toMatch(/^False UpdateInProgress/);
    isThrottled = false;
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.sm.instances.get('id-1')).toMatchObject({ parameters: { a: 2 } });
  });

  test('a restart sends nothing, unless a Secret changed meanwhile', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    const before = h.client.requests.length;
    await h.restart();
    await h.wait();
    expect(h.sm.count('update')).toBe(0);
    expect(h.client.requests.slice(before).map(({ verb }) => verb)).not.toContain('update');
    await h.stop();
    await h.putSecret('db', { a: 2 });
    await h.restart();
    await h.wait();
    expect(h.sm.count('update')).toBe(1);
  });

  test.each([
    { reason: 'that succeeds', prepare: () => undefined },
    { reason: 'that goes on', prepare: () => h.sm.async('create', { polls: 1 }) },
    { reason: 'whose response is lost', prepare: () => h.sm.fail('create', [lostResponse()]) },
  ])('a Secret that changes during a create $reason is sent, also after a restart', async ({ prepare }) => {
    await h.putSecret('db', { a: 1 });
    prepare();
    const { createInstance } = h.sm.client;
    h.sm.client.createInstance = async (...args) => {
      const data = { parameters: Buffer.from('{"a":2}').toString('base64') };
      await h.client.mergePatch(secrets, { namespace: 'shop', name: 'db' }, { data });
      return createInstance(...args);
    };
    await h.create(watched);
    await h.restart();
    await h.wait();
    expect(h.sm.instances.get('id-1')).toMatchObject({ parameters: { a: 2 } });
    expect([h.sm.count('create'), h.sm.count('update')]).toEqual([1, 1]);
  });

  test('a changed Secret is sent again if its operation failed in the next process', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    h.sm.async('update', { polls: 0, state: 'failed', errorDescription: 'no space' });
    await h.putSecret('db', { a: 2 });
    await h.restart();
    await h.wait(1050);
    expect(h.condition('Succeeded')).toBe('False UpdateFailed ServiceInstance update failed: no space');
    // As after any failure of which the version before is not known.
    expect(h.stored()?.status?.parametersVersion).toBe('');
    h.sm.sync('update');
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.sm.instances.get('id-1')).toMatchObject({ parameters: { a: 2 } });
  });

  test('an edit that an operation refused is taken back without an update by the next process', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    h.sm.async('update', { polls: 0, state: 'failed', errorDescription: 'not possible' });
    await h.patch({ spec: { parameters: { b: 1 } } });
    await h.clock.advance(1000);
    await h.stop();
    const before = h.sm.count('update');
    await h.patch({ spec: { parameters: null } });
    await h.restart();
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.sm.count('update')).toBe(before);
  });

  test('a changed Secret is sent also if the first attempt was not allowed to write', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    h.sm.fail('update', [new NotLeaderError('this replica does not lead')]);
    await h.putSecret('db', { a: 2 });
    await h.wait();
    expect(h.sm.instances.get('id-1')).toMatchObject({ parameters: { a: 2 } });
  });

  test('a Secret that changes after a refused create causes no update', async () => {
    await h.putSecret('db', { a: 1 });
    h.sm.fail('create', [refusal(400, 'no')], 'forever');
    await h.create(watched);
    await h.putSecret('db', { a: 2 });
    h.sm.heal('create');
    await h.wait();
    expect(h.sm.instances.get('id-1')).toMatchObject({ parameters: { a: 2 } });
    expect(h.sm.count('update')).toBe(0);
  });

  test('the marks of a Secret are removed before the instance goes', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    const before = h.client.requests.length;
    await h.delete();
    await h.wait();
    expect(
      h.client.requests
        .slice(before)
        .filter(({ verb, subresource }) => ['patch', 'update'].includes(verb) && subresource === undefined)
        .map(({ verb, type }) => `${verb} ${type.kind}`),
    ).toEqual(['patch Secret', 'update ServiceInstance']);
  });

  test('the Secrets of an instance of another program count as unchanged', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    await h.stop();
    await h.patchStatus({ parametersVersion: null });
    await h.restart();
    await h.wait();
    expect(h.sm.count('update')).toBe(0);
    await h.putSecret('db', { a: 2 });
    await h.wait();
    expect(h.sm.count('update')).toBe(1);
  });

  test('metadata of a Secret is no change', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    await h.client.mergePatch(
      secrets,
      { namespace: 'shop', name: 'db' },
      { metadata: { labels: { x: 'y' } } },
    );
    await h.wait();
    await h.restart();
    await h.wait();
    expect(h.sm.count('update')).toBe(0);
  });

  test('a Secret whose name cannot exist says that', async () => {
    await h.create({ parametersFrom: [{ secretKeyRef: { name: 'Orders_DB', key: 'x' } }] });
    expect(h.condition('Succeeded')).toMatch(
      /^False CreateFailed secrets "Orders_DB" not found: "Orders_DB" cannot be the name of an object/,
    );
  });

  test('[B62] [B12.4] a missing Secret is a failed create, and creates the instance when it comes', async () => {
    await h.create(watched);
    expect(h.condition('Succeeded')).toBe(
      'False CreateFailed secrets "db" not found (spec.parametersFrom names Secret shop/db)',
    );
    expect(h.sm.count('create')).toBe(0);
    await h.wait(300_000);
    await h.putSecret('db', { a: 1 });
    await h.wait(1500);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    await h.putSecret('db', { a: 2 });
    await h.wait();
    expect(h.sm.count('update')).toBe(1);
  });

  test('[B63] a second Secret is watched while it is referred to', async () => {
    await h.putSecret('db', { a: 1 });
    await h.putSecret('more', { b: 1 });
    await h.create(watched);
    await h.wait();
    const both = [...parametersFrom, { secretKeyRef: { name: 'more', key: 'parameters' } }];
    await h.patch({ spec: { parametersFrom: both } });
    await h.wait();
    expect(marksOf('more').annotations).toBe(1);
    expect(h.sm.instances.get('id-1')).toMatchObject({ parameters: { a: 1, b: 1 } });
    await h.patch({ spec: { parametersFrom } });
    await h.wait();
    expect(marksOf('more')).toEqual(none);
    expect(h.stored()?.metadata.labels).toEqual({ 'services.cloud.sap.com/secret-ref_db': 'db' });
  });

  test('[B64] two instances watch one Secret', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.create(watched, 'second');
    await h.wait();
    expect(h.sm.count('update')).toBe(0);
    await h.putSecret('db', { a: 2 });
    await h.wait();
    expect(h.sm.count('update')).toBe(2);
    await h.delete('second');
    await h.wait();
    expect(marksOf('db').annotations).toBe(1);
    await h.putSecret('db', { a: 3 });
    await h.wait();
    expect(h.sm.count('update')).toBe(3);
  });

  test('[B65] a deleted Secret goes and is a failed update; created again, it is watched', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    await h.client.delete(secrets, { namespace: 'shop', name: 'db' });
    await h.wait();
    expect(secretOf('db')).toBeUndefined();
    expect(h.condition('Succeeded')).toBe(
      'False UpdateFailed secrets "db" not found (spec.parametersFrom names Secret shop/db)',
    );
    await h.putSecret('db', { a: 2 });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(marksOf('db').annotations).toBe(1);
  });

  test('[B66] without the flag nothing is marked and changes are ignored', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create({ parametersFrom });
    await h.wait();
    expect(marksOf('db').annotations).toBe(0);
    await h.putSecret('db', { a: 2 });
    await h.wait();
    expect(h.sm.count('update')).toBe(0);
  });

  test('[B67] the flag turned off removes the marks', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    await h.patch({ spec: { watchParametersFromChanges: false } });
    await h.wait();
    expect(marksOf('db')).toEqual(none);
    const updates = h.sm.count('update');
    await h.putSecret('db', { a: 2 });
    await h.wait();
    expect(h.sm.count('update')).toBe(updates);
  });

  test('a mark with the uid of an instance of another namespace is removed', async () => {
    await h.create({ parametersFrom: [], watchParametersFromChanges: true });
    await h.wait();
    const uid = h.stored()?.metadata.uid;
    const key = { namespace: 'office', name: 'foreign' };
    const marks = {
      labels: { 'services.cloud.sap.com/watch-secret': 'true' },
      annotations: { [`services.cloud.sap.com/watch-secret-${uid}`]: 'true' },
      finalizers: ['services.cloud.sap.com/sap-btp-finalizer'],
    };
    h.client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { ...key, ...marks } });
    await h.wait();
    const { metadata } = h.client.peek(secrets, key) ?? {};
    expect(metadata).toBeDefined();
    for (const mark of ['labels', 'annotations', 'finalizers']) expect(metadata).not.toHaveProperty(mark);
  });

  test('marks of an instance whose finalizer was removed by others go, and a failed update is retried', async () => {
    await h.putSecret('db', { a: 1 });
    await h.create(watched);
    await h.wait();
    h.sm.fail('update', [refusal(400, 'no')]);
    await h.putSecret('db', { a: 2 });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    await h.stop();
    await h.delete();
    await h.patch({ metadata: { finalizers: [] } });
    expect(h.stored()).toBeUndefined();
    await h.restart();
    await h.wait();
    expect(marksOf('db')).toEqual(none);
  });
});
