import { describe, expect, test } from '@jest/globals';
import { RefusedTaskError, readTask } from './read-task.ts';

const minimal = {
  component: 'istio',
  namespace: 'kyma-system',
  kubeconfig: 'k',
  correlationID: 'c',
  type: 'reconcile',
  callbackURL: 'http://mothership/v1/operations/s/callback/c?token=t',
};

function refusalOf(body: unknown): string {
  try {
    readTask(typeof body === 'string' ? body : JSON.stringify(body), { maxRetries: 5 });
  } catch (error) {
    if (error instanceof RefusedTaskError) return `${error.status} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

test('fields that may be absent have zero values; the callback URL stays as it is', () => {
  expect(readTask(JSON.stringify({ ...minimal, unknown: 1, metadata: null }), { maxRetries: 5 })).toEqual({
    ...minimal,
    componentsReady: [],
    version: '',
    url: '',
    profile: '',
    configuration: {},
    metadata: {
      globalAccountID: '',
      subAccountID: '',
      serviceID: '',
      servicePlanID: '',
      servicePlanName: '',
      shootName: '',
      instanceID: '',
      region: '',
    },
    repository: { url: '' },
    componentConfiguration: { maxRetries: 5, debug: false },
  });
});

test('a task as the mothership in Go writes it, with null for lists and objects without entries', () => {
  const body = `{"componentsReady":null,"component":"istio","namespace":"istio-system","version":"2.20.0","url":"",
    "profile":"production","configuration":null,"kubeconfig":"k","metadata":{"globalAccountID":"g","instanceID":"",
    "region":"","serviceID":"","servicePlanID":"","servicePlanName":"","shootName":"","subAccountID":""},
    "callbackURL":"http://mothership:8080/v1/operations/r--1/callback/r--2","correlationID":"r--2",
    "repository":{"url":""},"type":"delete","componentConfiguration":{"maxRetries":5,"debug":false}}`;
  expect(readTask(body, { maxRetries: 1 })).toMatchObject({
    component: 'istio',
    type: 'delete',
    componentsReady: [],
    configuration: {},
    metadata: { globalAccountID: 'g' },
    callbackURL: 'http://mothership:8080/v1/operations/r--1/callback/r--2',
    componentConfiguration: { maxRetries: 5, debug: false },
  });
});

describe('a task is refused', () => {
  test('[R51] with 400 and the names of all fields that are missing or blank', () => {
    expect(refusalOf({})).toBe(
      '400 the task has no component, namespace, kubeconfig, correlationID, type, callbackURL',
    );
    expect(refusalOf({ ...minimal, namespace: ' ', type: null })).toBe('400 the task has no namespace, type');
  });

  test.each([
    { change: { type: 'update' }, want: '400 type: want reconcile or delete' },
    { change: { component: '../../etc' }, want: '400 component: want a name' },
    { change: { namespace: 'a/b' }, want: '400 namespace: want the name of a namespace' },
    { change: { version: 'v'.repeat(257) }, want: '400 version: want at most 256 characters' },
    { change: { url: 'u'.repeat(2049) }, want: '400 url: want at most 2048 characters' },
    { change: { profile: 'a\nb' }, want: '400 profile: want no control characters' },
    {
      change: { configuration: { [`a${'.a'.repeat(64)}`]: 1 } },
      want: '"]: want at most 64 segments',
    },
    {
      change: { metadata: { globalAccountID: 'a'.repeat(257) } },
      want: '500 cannot read the task: metadata.globalAccountID: want at most 256 characters',
    },
    {
      change: { metadata: { region: 'eu\u0085' } },
      want: '500 cannot read the task: metadata.region: want no control characters',
    },
    {
      change: { correlationID: 'c'.repeat(1025) },
      want: '500 cannot read the task: correlationID: want at most 1024 characters',
    },
    {
      change: { componentsReady: Array.from({ length: 257 }, () => 'a') },
      want: '500 cannot read the task: componentsReady: want at most 256 entries',
    },
    {
      change: { componentsReady: ['a/b'] },
      want: '500 cannot read the task: componentsReady[0]: want a name of letters',
    },
    {
      change: { repository: { url: 'u'.repeat(2049) } },
      want: '500 cannot read the task: repository.url: want at most 2048 characters',
    },
    {
      change: { callbackURL: `http://m/${'u'.repeat(2048)}` },
      want: '500 cannot read the task: callbackURL: want at most 2048 characters',
    },
    { change: { tenant: 't'.repeat(257) }, want: '400 tenant: want at most 256 characters' },
    { change: { configuration: { 'a\u0000b': 1 } }, want: 'want no control characters' },
    { change: { configuration: { ['k'.repeat(1025)]: 1 } }, want: 'want at most 1024 characters' },
    { change: { component: 'Käse' }, want: '400 component: want a name' },
    { change: { namespace: 'n'.repeat(64) }, want: '400 namespace: want at most 63 characters' },
    { change: { callbackURL: 'nonsense' }, want: '500 cannot use the task: callbackURL: want a URL' },
    {
      change: { callbackURL: 'file:///etc/passwd' },
      want: '500 cannot use the task: callbackURL: want a URL',
    },
    { change: { component: 1 }, want: '500 cannot read the task: component: want a text' },
    {
      change: { componentsReady: ['a', 1] },
      want: '500 cannot read the task: componentsReady[1]: want a text',
    },
    { change: { configuration: [] }, want: '500 cannot read the task: configuration: want an object' },
    {
      change: { componentConfiguration: { maxRetries: -1 } },
      want: '500 cannot read the task: componentConfiguration.maxRetries: want a whole number',
    },
  ])('[R51] for a field that cannot be used: $change', ({ change, want }) => {
    expect(refusalOf({ ...minimal, ...change })).toContain(want);
  });

  test.each(['', 'nonsense', '[1]', 'null', `{"kubeconfig": "secret`, `${'['.repeat(100)}`])(
    '[R51] with 500, without a quote of it, if it cannot be read: %s',
    (body) => {
      expect(refusalOf(body)).toMatch(
        /^500 cannot read the task: the body: want an object|the body is no JSON/,
      );
      expect(refusalOf(body)).not.toContain('secret');
    },
  );
});
