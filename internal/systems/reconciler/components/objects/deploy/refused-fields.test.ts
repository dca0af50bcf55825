import { expect, test } from '@jest/globals';
import { KubeApiError } from '../../../../../framework/kube/errors/errors.ts';
import { apiError } from '../../../../../framework/kube/fakes/memory-client.ts';
import type { KubeObject, ResourceType } from '../../../../../framework/kube/index.ts';
import {
  asImmutable,
  claimFields,
  contradictedFields,
  hasKeys,
  leftAccount,
  withoutUnknownFields,
} from './refused-fields.ts';

const object = () => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    colour: 'red',
    containers: [
      { name: 'a', image: 'a' },
      { name: 'b', foo: { bar: 1 } },
    ],
    ports: [{ port: 80, x: 1 }],
  },
});
const refusal = (message: string) =>
  new KubeApiError(
    { verb: 'apply', object: 'Deployment web', clusterName: 'cluster a' },
    { httpStatus: 500, status: { message, reason: '', code: 500, details: undefined } },
  );

test('fields that the server names are left out, in lists by keys and positions', () => {
  const error = refusal(
    'failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): errors:\n' +
      '  .spec.colour: field not declared in schema\n' +
      '  .spec.containers[name="b"].foo: field not declared in schema\n' +
      '  .spec.ports[0].x: field not declared in schema',
  );
  expect(withoutUnknownFields(object(), error)).toEqual({
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'a', image: 'a' }, { name: 'b' }], ports: [{ port: 80 }] },
    },
    paths: ['.spec.colour', '.spec.containers[name="b"].foo', '.spec.ports[0].x'],
  });
});

test.each(['.spec.missing: field not declared in schema', '.spec.colour: wrong type', 'constructor'])(
  'nothing is left out for %s',
  (message) => {
    expect(withoutUnknownFields(object(), refusal(message))).toBeUndefined();
    expect(withoutUnknownFields(object(), new Error(message))).toBeUndefined();
  },
);

const invalid = (
  status: number,
  ...causes: readonly { readonly field: string; readonly message: string }[]
) => apiError(status, 'Invalid', 'Deployment web is invalid', { causes });

test.each([
  {
    what: 'fields that cannot change, each once',
    error: invalid(
      422,
      { field: 'spec.selector', message: 'field is immutable' },
      { field: 'spec.selector', message: 'may not be changed' },
      { field: 'spec.clusterIP', message: 'MAY NOT CHANGE once set' },
    ),
    fields: ['spec.selector', 'spec.clusterIP'],
  },
  {
    what: 'no field by its name',
    error: invalid(422, { field: '', message: 'field is immutable' }),
    fields: undefined,
  },
  {
    what: 'a field that has a wrong value',
    error: invalid(422, { field: 'spec.selector', message: 'invalid value' }),
    fields: undefined,
  },
  {
    what: 'a field of a request that is not allowed',
    error: invalid(403, { field: 'spec.selector', message: 'field is immutable' }),
    fields: undefined,
  },
])('immutable fields of a refusal that names $what', ({ error, fields }) => {
  const found = asImmutable(object(), error);
  expect(found?.fields).toEqual(fields);
  if (fields !== undefined)
    expect(found?.message).toBe(
      `cannot change ${fields.join(', ')} of Deployment web: immutable; delete the object so that it is created anew`,
    );
});

const rollingUpdate = { field: 'spec.strategy.rollingUpdate', message: 'may not be specified' };

test.each([
  { what: 'a default of another value', error: invalid(422, rollingUpdate), found: true },
  {
    what: 'a field that cannot change',
    error: invalid(422, { ...rollingUpdate, message: 'field is immutable' }),
    found: false,
  },
  {
    what: 'a field of the chart',
    error: invalid(422, { ...rollingUpdate, field: 'spec.colour' }),
    found: false,
  },
  {
    what: 'a field in a list',
    error: invalid(422, { ...rollingUpdate, field: 'spec.containers[0].foo' }),
    found: false,
  },
  { what: 'a request that is not allowed', error: invalid(403, rollingUpdate), found: false },
])('fields that contradict what is applied: $what', ({ error, found }) => {
  expect(contradictedFields(object(), error)).toEqual(found ? [['spec', 'strategy', 'rollingUpdate']] : []);
});

const deployments: ResourceType = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
};
const pods = ['spec', 'template', 'spec'];
const withPods = (spec: object, ...managedFields: readonly unknown[]): KubeObject & { spec: object } => ({
  ...object(),
  metadata: { name: 'web', namespace: 'shop', resourceVersion: '7', managedFields: [...managedFields] },
  spec: { template: { spec } },
});
const entry = (manager: string, operation: string, pod: object) => ({
  ...{ manager, operation, apiVersion: 'apps/v1' },
  fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': pod } } },
});

test.each([
  {
    what: 'that nothing owns',
    applied: {},
    live: { serviceAccount: 'a', serviceAccountName: 'a' },
    left: true,
  },
  {
    what: 'that others own',
    applied: {},
    live: { serviceAccount: 'a' },
    entries: [entry('kubectl', 'Update', { 'f:serviceAccount': {} })],
    left: false,
  },
  {
    what: 'that the chart names',
    applied: { serviceAccountName: 'a' },
    live: { serviceAccount: 'a' },
    left: false,
  },
  { what: 'that is not there', applied: {}, live: { serviceAccount: '' }, left: false },
])('a service account of pods $what is left over: $left', ({ applied, live, entries = [], left }) => {
  const fields = [
    [...pods, 'serviceAccount'],
    [...pods, 'serviceAccountName'],
  ];
  expect(leftAccount(deployments, withPods(applied), withPods(live, ...entries))).toEqual(left ? fields : []);
});

/** Claims the service account of the pods. */
async function claimed(live: KubeObject) {
  const patches: unknown[] = [];
  const client = {
    get: async () => live,
    jsonPatch: async (_type: unknown, _key: unknown, patch: unknown) => {
      patches.push(patch);
      return live;
    },
  };
  const isClaimed = await claimFields(client as never, deployments, {
    ...{ object: live, fields: [[...pods, 'serviceAccount']] },
    signal: new AbortController().signal,
  });
  return { isClaimed, patches };
}

test('a field that is claimed is owned by component reconcilers alone', async () => {
  const own = entry('kyma-reconciler', 'Apply', { 'f:containers': {} });
  const others = entry('kubectl', 'Update', { 'f:serviceAccount': {} });
  const more = entry('kube-controller-manager', 'Update', { 'f:serviceAccount': {}, 'f:hostname': {} });
  const { isClaimed, patches } = await claimed(withPods({ serviceAccount: 'a' }, own, others, more));
  expect(isClaimed).toBe(true);
  expect(patches).toEqual([
    [
      { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
      {
        op: 'replace',
        path: '/metadata/managedFields',
        value: [
          entry('kyma-reconciler', 'Apply', { 'f:containers': {}, 'f:serviceAccount': {} }),
          entry('kube-controller-manager', 'Update', { 'f:hostname': {} }),
        ],
      },
    ],
  ]);
});

test.each([
  ['of an object that component reconcilers have not applied', withPods({ serviceAccount: 'a' })],
  ['that is not there', withPods({}, entry('kyma-reconciler', 'Apply', { 'f:containers': {} }))],
])('a field %s is not claimed', async (_, live) => {
  expect(await claimed(live)).toEqual({ isClaimed: false, patches: [] });
});

test.each([
  [{ port: 80, protocol: 'TCP' }, true],
  [{ port: 80 }, true],
  [{ port: 80, protocol: 'UDP' }, false],
  [{ port: 81 }, false],
  ['80', false],
])('whether %j has the keys of an item, of which one with a default may be missing: %s', (item, has) => {
  expect(hasKeys(item, '[port=80,protocol="TCP"]')).toBe(has);
});
