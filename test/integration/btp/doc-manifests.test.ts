/** A real API server accepts the manifests on the pages about ServiceInstances and ServiceBindings, with the strict CRDs. */
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import type { KubeObject } from '../../../internal/kube/object/object.ts';
import {
  apiVersionOf,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/kube/object/resource-type.ts';
import { allCodeBlocks } from '../../docs/pages.ts';
import { btpCrds, installCrds } from '../../environment/install-crds.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { objectsOf } from '../../environment/objects.ts';
import { kindClient } from '../apis/kind-client.ts';

const clusterRoles: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};
const types: readonly ResourceType[] = [serviceInstances, serviceBindings, secrets, clusterRoles];

/** Values of Helm, data of `template render`, and JSON objects that are no manifests have tests of their own. */
const isManifest = (value: object): value is KubeObject =>
  'apiVersion' in value || 'kind' in value || 'spec' in value;

const manifests = [...(await allCodeBlocks('yaml')), ...(await allCodeBlocks('json'))]
  .filter(({ where }) => where.startsWith('docs/service-operator/'))
  .flatMap(({ where, code }) =>
    parseAllDocuments(code).map((document) => ({ where, object: document.toJS() as object })),
  )
  .flatMap(({ where, object }) => (isManifest(object) ? [{ where, object }] : []));
const typeOf = ({ apiVersion, kind }: KubeObject) =>
  types.find((type) => apiVersionOf(type) === apiVersion && type.kind === kind);

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ name: 'btp-docs' });
  await installCrds(plane, await btpCrds());
});
afterAll(() => plane?.stop());

test('the pages show whole manifests of every kind', () => {
  const kinds = new Set(manifests.map(({ object }) => typeOf(object)?.kind));
  expect([...kinds].sort()).toEqual(['ClusterRole', 'Secret', 'ServiceBinding', 'ServiceInstance']);
});

test.each(manifests)('$where: $object.kind applies as it is', async ({ object }) => {
  const type = typeOf(object);
  if (type === undefined) throw new Error(`${object.kind} is not known`);
  const { name, namespace } = object.metadata;
  if (namespace !== undefined) await objectsOf(plane).apply(namespaces, namespaceManifest(namespace));
  const { status, body } = await kindClient(plane, type, namespace).apply(name, object, 'dryRun=All');
  expect({ status, body }).toMatchObject({ status: 201 });
});
