import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../kube/object/object.ts';
import { conversionWebhook, DeniedError, mutatingWebhook, validatingWebhook } from './webhook.ts';

interface Greeting extends KubeObject {
  spec: { name?: string };
}

const type = { group: 'example.org', version: 'v1', kind: 'Greeting', plural: 'greetings', namespaced: true };
const greeting = (name?: string): Greeting => ({
  apiVersion: 'example.org/v1',
  kind: 'Greeting',
  metadata: { name: 'g', namespace: 'shop' },
  spec: name === undefined ? {} : { name },
});
const review = (request: object) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u-1', operation: 'CREATE', object: greeting('Ann'), oldObject: null, ...request },
});
const { signal } = new AbortController();

describe('a validating webhook', () => {
  const webhook = validatingWebhook<Greeting>(type, ({ object, operation, userInfo }) => {
    if (object?.spec.name === 'nobody') throw new DeniedError('spec.name: nobody cannot be greeted');
    if (object?.spec.name === 'bug') throw new TypeError('x is not a function');
    return operation === 'UPDATE' && userInfo?.username === 'eve' ? ['eve is watched'] : [];
  });

  test('has the path of controller-runtime', () => {
    expect(webhook.path).toBe('/validate-example-org-v1-greeting');
  });

  test('responds in the version of the review', async () => {
    for (const apiVersion of ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']) {
      expect(await webhook.respond({ ...review({}), apiVersion }, signal)).toMatchObject({ apiVersion });
    }
  });

  test.each([
    { request: {}, response: { allowed: true }, reason: 'nothing speaks against it' },
    {
      request: { operation: 'UPDATE', userInfo: { username: 'eve', groups: ['a'], extra: { k: ['v'] } } },
      response: { allowed: true, warnings: ['eve is watched'] },
      reason: 'warnings are shown to users',
    },
    {
      request: { object: greeting('nobody') },
      response: {
        allowed: false,
        status: { code: 403, reason: 'Forbidden', message: 'spec.name: nobody cannot be greeted' },
      },
      reason: 'it was denied',
    },
    {
      request: { object: greeting('bug') },
      response: {
        allowed: false,
        status: { code: 500, reason: 'InternalError', message: 'x is not a function' },
      },
      reason: 'what cannot be judged is not let in',
    },
    {
      request: { operation: 'DELETE', object: null },
      response: { allowed: true },
      reason: 'a deletion has no object',
    },
  ])('answers $response.allowed: $reason', async ({ request, response }) => {
    expect(await webhook.respond(review(request), signal)).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u-1', ...response },
    });
  });

  test.each([
    { body: undefined, error: 'the body is no AdmissionReview' },
    { body: 'text', error: 'the body is no AdmissionReview' },
    {
      body: { ...review({}), apiVersion: 'admission.k8s.io/v2' },
      error: 'the body is no AdmissionReview',
    },
    { body: review({ uid: '' }), error: 'request.uid is no text' },
    { body: review({ operation: 'PATCH' }), error: 'request.operation is none of Kubernetes' },
    { body: review({ object: 'x' }), error: 'request.object is no Kubernetes object' },
    { body: review({ oldObject: { kind: 1 } }), error: 'request.oldObject is no Kubernetes object' },
  ])('refuses $body: $error', async ({ body, error }) => {
    await expect(webhook.respond(body, signal)).rejects.toThrow(error);
  });
});

describe('a mutating webhook', () => {
  const webhook = mutatingWebhook<Greeting>(type, (object) => {
    object.spec.name ??= 'World';
  });
  const patchOf = async (request: object) => {
    const { response } = (await webhook.respond(review(request), signal)) as {
      response: { allowed: boolean; patchType?: string; patch?: string };
    };
    const { allowed, patchType, patch } = response;
    return { allowed, patchType, patch: patch && JSON.parse(Buffer.from(patch, 'base64').toString()) };
  };

  test('answers with the patch of what it changed', async () => {
    expect(webhook.path).toBe('/mutate-example-org-v1-greeting');
    expect(await patchOf({ object: greeting() })).toEqual({
      allowed: true,
      patchType: 'JSONPatch',
      patch: [{ op: 'add', path: '/spec/name', value: 'World' }],
    });
  });

  test('answers without a patch where nothing is to be changed', async () => {
    const unchanged = { allowed: true, patchType: undefined, patch: undefined };
    expect(await patchOf({})).toEqual(unchanged);
    expect(await patchOf({ operation: 'DELETE', object: null })).toEqual(unchanged);
  });
});

describe('an object of very many values', () => {
  const large = (count: number, value: unknown) => ({
    ...greeting('Ann'),
    spec: {
      name: 'Ann',
      more: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value])),
    },
  });
  const webhooks = [
    validatingWebhook<Greeting>(type, () => undefined),
    mutatingWebhook<Greeting>(type, () => undefined),
  ];

  test.each([
    ['keys', large(60_000, 1)],
    ['values in each other', large(15_000, [[], {}, [0]])],
  ])('is denied before it is copied and compared: %s', async (_what, object) => {
    for (const webhook of webhooks)
      expect(await webhook.respond(review({ object }), signal)).toMatchObject({
        response: {
          allowed: false,
          status: { code: 400, message: 'the object has more than 52500 fields and elements' },
        },
      });
  });

  test('is accepted with as many as parameters may have, each in the fields of two managers', async () => {
    for (const webhook of webhooks)
      expect(await webhook.respond(review({ object: large(52_000, 1) }), signal)).toMatchObject({
        response: { allowed: true },
      });
  });

  test('that is stored can be changed and deleted, so that its finalizers can be removed', async () => {
    const oldObject = large(60_000, 1);
    for (const request of [
      { operation: 'DELETE', object: null, oldObject },
      { operation: 'UPDATE', object: large(60_000, 1), oldObject },
    ])
      for (const webhook of webhooks)
        expect(await webhook.respond(review(request), signal)).toMatchObject({ response: { allowed: true } });
  });

  test('is denied as a change of a small one', async () => {
    const request = { operation: 'UPDATE', object: large(60_000, 1), oldObject: greeting('Ann') };
    for (const webhook of webhooks)
      expect(await webhook.respond(review(request), signal)).toMatchObject({ response: { allowed: false } });
  });
});

describe('a conversion webhook', () => {
  const webhook = conversionWebhook((object, apiVersion) => {
    if (object.metadata.name === 'odd') throw new Error('it has no such version');
    return { ...object, apiVersion };
  });
  const convert = (objects: unknown) =>
    webhook.respond(
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        request: { uid: 'u-1', desiredAPIVersion: 'example.org/v2', objects },
      },
      signal,
    );

  test('converts each object, in order, and leaves those that have the version', async () => {
    const v2 = { ...greeting('Bob'), apiVersion: 'example.org/v2' };
    expect(await convert([greeting('Ann'), v2])).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: {
        uid: 'u-1',
        convertedObjects: [{ ...greeting('Ann'), apiVersion: 'example.org/v2' }, v2],
        result: { status: 'Success' },
      },
    });
  });

  test('says why an object cannot be converted', async () => {
    const odd = { ...greeting(), metadata: { name: 'odd' } };
    expect(await convert([odd])).toMatchObject({
      response: { convertedObjects: [], result: { status: 'Failure', message: 'it has no such version' } },
    });
  });

  test('refuses what is no list of objects', async () => {
    await expect(convert([{}])).rejects.toThrow('request.objects is no list of Kubernetes objects');
  });
});
