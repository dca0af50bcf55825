import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../framework/kube/object/object.ts';
import { INTERCEPTORS, partsOf, targetOf } from './interceptors.ts';
import { groupOf, type PreparedObject } from './prepared-object.ts';

type Json = Record<string, unknown>;

const objectOf = (apiVersion: string, kind: string, fields: Json = {}, metadata: Json = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', namespace: 'shop', ...metadata },
  ...fields,
});

const prepare = (object: KubeObject): PreparedObject => {
  const { apiVersion, kind } = object;
  const version = apiVersion.split('/').at(-1) ?? '';
  const plural = `${kind.toLowerCase()}s`;
  return {
    object,
    type: { group: groupOf(apiVersion), version, kind, plural, namespaced: true },
    source: 'chart/templates/all.yaml',
  };
};

/** The first object as all interceptors leave it, beside the others, with what the cluster has. */
async function intercepted(
  objects: readonly KubeObject[],
  live?: KubeObject,
  autoscalers: readonly KubeObject[] = [],
): Promise<KubeObject | undefined> {
  const prepared = objects.map(prepare);
  const target = { component: 'shop', namespace: 'shop', version: '1.2.3' };
  for (const interceptor of INTERCEPTORS) {
    for (const each of prepared) {
      await interceptor(each, {
        target,
        objects: prepared,
        live: async (of) => (of.object.kind === live?.kind ? partsOf(live) : undefined),
        autoscalers: async () => autoscalers.map(targetOf),
      });
    }
  }
  return prepared[0]?.object;
}

test('[R73] every object has the labels and the disclaimer, and keeps its own', async () => {
  const object = objectOf('v1', 'ConfigMap', {}, { labels: { a: 'b' }, annotations: { c: 'd' } });
  expect((await intercepted([object]))?.metadata).toEqual({
    name: 'web',
    namespace: 'shop',
    labels: {
      a: 'b',
      'reconciler.kyma-project.io/managed-by': 'reconciler',
      'reconciler.kyma-project.io/origin-version': '1.2.3',
    },
    annotations: {
      c: 'd',
      'reconciler.kyma-project.io/managed-by-reconciler-disclaimer':
        expect.stringMatching(/^DO NOT EDIT.*\n/),
    },
  });
});

describe('[R73] namespaces', () => {
  test.each([
    ['shop', undefined],
    ['kyma-system', 'enabled'],
    ['istio-system', 'enabled'],
  ])('%s has its labels', async (name, validate) => {
    const object = objectOf('v1', 'Namespace', {}, { name });
    const { labels = {} } = (await intercepted([object]))?.metadata ?? {};
    expect(labels).toMatchObject({ name, 'istio-injection': 'enabled' });
    expect(labels['namespaces.warden.kyma-project.io/validate']).toBe(validate);
  });
});

describe('[R73] the cluster IP of a Service', () => {
  const live = objectOf('v1', 'Service', { spec: { clusterIP: '10.0.0.7' } });
  test.each<{ title: string; spec: Json; live?: KubeObject; clusterIP: string | undefined }>([
    { title: 'empty: that of the cluster', spec: { clusterIP: '' }, live, clusterIP: '10.0.0.7' },
    {
      title: 'None: that of the cluster',
      spec: { clusterIP: 'None', type: 'NodePort' },
      live,
      clusterIP: '10.0.0.7',
    },
    { title: 'None of a new Service stays', spec: { clusterIP: 'None' }, clusterIP: 'None' },
    { title: 'empty of a new Service is left out', spec: { clusterIP: '' }, clusterIP: undefined },
    { title: 'an address stays', spec: { clusterIP: '10.0.0.8' }, live, clusterIP: '10.0.0.8' },
    { title: 'absent stays absent', spec: {}, live, clusterIP: undefined },
    { title: 'of another type stays', spec: { clusterIP: '', type: 'LoadBalancer' }, live, clusterIP: '' },
  ])('$title', async ({ spec, live, clusterIP }) => {
    const object = await intercepted([objectOf('v1', 'Service', { spec })], live);
    expect(object).toMatchObject(clusterIP === undefined ? {} : { spec: { clusterIP } });
    if (clusterIP === undefined) expect(object).not.toHaveProperty('spec.clusterIP');
  });
});

test('[R73] a claim keeps the size that it has', async () => {
  const claim = (storage: string) =>
    objectOf('v1', 'PersistentVolumeClaim', { spec: { resources: { requests: { storage } } } });
  expect(await intercepted([claim('1Gi')], claim('5Gi'))).toMatchObject(claim('5Gi'));
  expect(await intercepted([claim('1Gi')])).toMatchObject(claim('1Gi'));
});

describe('texts of a Secret', () => {
  test.each<{ title: string; apiVersion?: string; kind?: string; fields: Json; expected?: Json }>([
    { title: 'are its data', fields: { stringData: { a: 'ö' } }, expected: { data: { a: 'w7Y=' } } },
    {
      title: 'come before data of the same key',
      fields: { data: { a: 'eA==', b: 'eA==' }, stringData: { a: 'y' } },
      expected: { data: { a: 'eQ==', b: 'eA==' } },
    },
    { title: 'that are none are left to the API server', fields: { stringData: { a: 1 } } },
    { title: 'with data that are none as well', fields: { data: 'x', stringData: { a: 'x' } } },
    { title: 'of another kind stay', kind: 'ConfigMap', fields: { stringData: { a: 'x' } } },
    { title: 'of another group stay', apiVersion: 'example.org/v1', fields: { stringData: { a: 'x' } } },
  ])('$title', async ({ apiVersion = 'v1', kind = 'Secret', fields, expected = fields }) => {
    const { metadata: _, ...found } = (await intercepted([objectOf(apiVersion, kind, fields)])) ?? {};
    expect(found).toEqual({ apiVersion, kind, ...expected });
  });
});

describe('[R73] finalizers of the chart', () => {
  const finalizers = ['example.org/f'];
  test.each([
    ['LogPipeline', true, undefined],
    ['LogPipeline', false, finalizers],
    ['OAuth2Client', true, undefined],
    ['Other', true, finalizers],
  ])('%s that exists: %s', async (kind, exists, expected) => {
    const object = objectOf('example.org/v1', kind, {}, { finalizers });
    const live = exists ? objectOf('example.org/v1', kind) : undefined;
    expect((await intercepted([object], live))?.metadata.finalizers).toEqual(expected);
  });
});

describe('[R73] replicas of what a HorizontalPodAutoscaler scales', () => {
  const hpa = (name = 'web') =>
    objectOf('autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } },
    });
  const deployment = objectOf('apps/v1', 'Deployment', { spec: { replicas: 1, paused: true } });
  const live = (owner: string) =>
    objectOf(
      'apps/v1',
      'Deployment',
      { spec: { replicas: 5 } },
      {
        managedFields: [{ manager: owner, operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
      },
    );
  test.each<{ title: string; hpa: KubeObject; live?: KubeObject; spec: Json }>([
    {
      title: 'stay as they are',
      hpa: hpa(),
      live: live('kyma-reconciler'),
      spec: { paused: true, replicas: 5 },
    },
    { title: 'are left to another owner', hpa: hpa(), live: live('hpa'), spec: { paused: true } },
    { title: 'of a new Deployment are of the chart', hpa: hpa(), spec: { paused: true, replicas: 1 } },
    {
      title: 'of a Deployment of the same name in another namespace are of the chart',
      hpa: { ...hpa(), metadata: { name: 'web', namespace: 'other' } },
      live: live('kyma-reconciler'),
      spec: { paused: true, replicas: 1 },
    },
    {
      title: 'of another Deployment are of the chart',
      hpa: hpa('other'),
      live: live('kyma-reconciler'),
      spec: { paused: true, replicas: 1 },
    },
  ])('$title', async ({ hpa, live, spec }) => {
    expect(await intercepted([structuredClone(deployment), hpa], live)).toHaveProperty('spec', spec);
    // Of others, as KEDA makes it.
    expect(await intercepted([structuredClone(deployment)], live, [hpa])).toHaveProperty('spec', spec);
  });
});

describe('fields that controllers of the cluster fill', () => {
  const rbac = 'rbac.authorization.k8s.io/v1';
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { 'example.org/aggregate': 'true' } }] };
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  test.each<{ title: string; fields: Json; expected: Json }>([
    {
      title: 'empty rules are left out',
      fields: { aggregationRule, rules: [] },
      expected: { aggregationRule },
    },
    { title: 'so are others', fields: { aggregationRule, rules }, expected: { aggregationRule } },
    { title: 'without aggregation they stay', fields: { rules: [] }, expected: { rules: [] } },
  ])('of an aggregated ClusterRole: $title', async ({ fields, expected }) => {
    const {
      apiVersion: _a,
      kind: _k,
      metadata: _m,
      ...found
    } = {
      ...(await intercepted([objectOf(rbac, 'ClusterRole', fields)])),
    };
    expect(found).toEqual(expected);
  });

  const webhook = (clientConfig: Json) => ({ webhooks: [{ name: 'a.example.org', clientConfig }] });
  const conversion = (clientConfig: Json) => ({ spec: { conversion: { webhook: { clientConfig } } } });
  const service = { service: { name: 'web', namespace: 'shop' } };
  describe.each<[apiVersion: string, kind: string, withClient: (client: Json) => Json]>([
    ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', webhook],
    ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', webhook],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', conversion],
    ['apiregistration.k8s.io/v1', 'APIService', (spec) => ({ spec })],
  ])('%s %s', (apiVersion, kind, withClient) => {
    test.each([
      ['an empty one is left out', '', {}],
      ['a line feed is left out', 'Cg==', {}],
      ['one with authorities stays', 'YWJj', { caBundle: 'YWJj' }],
    ])('caBundle: %s', async (_title, caBundle, expected) => {
      const found = await intercepted([objectOf(apiVersion, kind, withClient({ ...service, caBundle }))]);
      expect(found).toMatchObject(withClient({ ...service, ...expected }));
      expect(JSON.stringify(found).includes('caBundle')).toBe('caBundle' in expected);
    });
  });
});

describe('of an object that the server of a tenant has', () => {
  const long = 'x'.repeat(1_000_000);
  test.each<[string, Json, Json]>([
    ['large data', { data: { long } }, {}],
    ['a long address', { spec: { clusterIP: long, resources: { requests: { storage: long } } } }, {}],
    ['large metadata', {}, { annotations: { long }, labels: { long }, namespace: long, name: long }],
    [
      'large field ownership',
      {},
      {
        managedFields: [{ manager: 'kyma-reconciler', operation: 'Apply', fieldsV1: { 'f:spec': { long } } }],
      },
    ],
    ['another autoscaler', { spec: { scaleTargetRef: { kind: long, name: long, apiVersion: long } } }, {}],
  ])('little is kept: %s', (_, fields, metadata) => {
    const found = objectOf('v1', 'Service', fields, metadata);
    for (const kept of [partsOf(found), targetOf(found)])
      expect(JSON.stringify(kept).length).toBeLessThan(500);
  });
});
