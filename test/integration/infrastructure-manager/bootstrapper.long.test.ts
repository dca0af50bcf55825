/** The runtime bootstrapper in a real API server: its manifests with a CRD and an object of it, copies, replacement, and objects of others. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { configMaps, namespaces, secrets } from '../../../internal/framework/kube/index.ts';
import {
  applyManifests,
  copyObjects,
  installationState,
} from '../../../internal/systems/infrastructure-manager/runtime/bootstrapper/initialize-runtime-bootstrapper.ts';
import {
  type Deployment,
  deployments,
  parseManifests,
} from '../../../internal/systems/infrastructure-manager/runtime/bootstrapper/manifests.ts';
import { objectOwnership } from '../../../internal/systems/infrastructure-manager/runtime/ownership.ts';
import { pool, runtimeOf, zonesOf } from '../../contract/gardener/rendering/choices.ts';
import { eventually } from '../../environment/eventually.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { connect } from '../kube/connect.ts';

let plane: ControlPlane;
let client: RestClient;
beforeAll(async () => {
  plane = await startControlPlane({ name: 'bootstrapped' });
  client = connect(plane.kubeconfig);
  await client.create(namespaces, namespaceManifest('kyma-system'));
}, 120_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

const NAMESPACE = 'kyma-system';
const DEPLOYMENT = { namespace: NAMESPACE, name: 'bootstrapper' };
const labels = { app: 'bootstrapper' };
const manifestsOf = (version: string, image: string) => {
  const objects = [
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'mirrors.example.org' },
      spec: {
        group: 'example.org',
        scope: 'Cluster',
        names: { kind: 'Mirror', plural: 'mirrors', singular: 'mirror', listKind: 'MirrorList' },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...DEPLOYMENT, labels: { 'app.kubernetes.io/version': version } },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'manager', image }] } },
      },
    },
    { apiVersion: 'example.org/v1', kind: 'Mirror', metadata: { name: 'default' }, spec: { of: version } },
  ];
  return parseManifests(objects.map((object) => stringify(object)).join('---\n'), 'manifests', DEPLOYMENT);
};

function cluster(name = 'life') {
  const runtime = runtimeOf('aws', name, [pool('aws', zonesOf('aws').slice(0, 1))]);
  const owned = {
    ...runtime,
    metadata: { ...runtime.metadata, namespace: 'kcp-system', uid: `uid-${name}` },
  };
  // The other Runtime lives, and names the same Shoot.
  const ownership = objectOwnership(owned, [{ ...owned, metadata: { ...owned.metadata, uid: 'uid-life' } }]);
  const { signal } = new AbortController();
  return { client, signal, assertMayWrite: () => undefined, isNew: false, ownership };
}
const mirrors = {
  ...{ group: 'example.org', version: 'v1', kind: 'Mirror', plural: 'mirrors', namespaced: false },
};

test('manifests are installed, watched and replaced', async () => {
  const first = manifestsOf('v1', 'bootstrapper:1');
  const state = (manifests = first) => installationState(cluster(), DEPLOYMENT, manifests);
  expect(await state()).toBe('missing');
  // The kind of an object is not served at once after its CRD.
  await eventually(() => applyManifests(cluster(), first), { timeoutMs: 60_000 });
  expect(await client.get(mirrors, { name: 'default' })).toMatchObject({ spec: { of: 'v1' } });
  expect(await state()).toBe('progressing');
  const { metadata } = await client.get(deployments, DEPLOYMENT);
  const status: Deployment['status'] = {
    ...{ observedGeneration: metadata.generation ?? 1, replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
    conditions: [{ type: 'Available', status: 'True' }],
  };
  await client.mergePatch(deployments, DEPLOYMENT, { status }, { subresource: 'status' });
  expect(await state()).toBe('ready');
  const second = manifestsOf('v2', 'bootstrapper:2');
  expect(await state(second)).toBe('outdated');
  await applyManifests(cluster(), second);
  expect(await state(second)).toBe('progressing');
  expect(await client.get(mirrors, { name: 'default' })).toMatchObject({ spec: { of: 'v2' } });
});

test('copies are written when they differ, and objects of another Runtime stay', async () => {
  const key = { namespace: NAMESPACE, name: 'copy' };
  const wanted = (data: Record<string, string>) => [
    { type: configMaps, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data } },
    {
      type: secrets,
      object: {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: key, data: { a: 'eA==' } },
        type: 'Opaque',
      },
    },
  ];
  await copyObjects(cluster(), wanted({ a: '1', b: '2' }));
  const before = await client.get(configMaps, key);
  await copyObjects(cluster(), wanted({ a: '1', b: '2' }));
  expect((await client.get(configMaps, key)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  await copyObjects(cluster(), wanted({ a: '3' }));
  expect((await client.get(configMaps, key)).data).toEqual({ a: '3' });
  await expect(copyObjects(cluster('another'), wanted({ a: '4' }))).rejects.toThrow(
    'ConfigMap kyma-system/copy of the runtime is of others',
  );
  expect((await client.get(configMaps, key)).data).toEqual({ a: '3' });
});
