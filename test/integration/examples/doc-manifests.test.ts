/** A real API server accepts the manifests of our kinds on the pages. */
import { beforeAll, expect, test } from '@jest/globals';
import { type Document, parseAllDocuments } from 'yaml';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import {
  apiVersionOf,
  namespaces,
  type ResourceType,
} from '../../../internal/framework/kube/object/resource-type.ts';
import { configTypes } from '../../../internal/framework/managed/providerconfig/model/provider-config.ts';
import { hanaConfigKinds } from '../../../internal/systems/inventory/config/provider-configs.ts';
import { instanceMappingTypes } from '../../../internal/systems/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { allCodeBlocks } from '../../docs/pages.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { objectsOf } from '../../environment/objects.ts';
import { kindClient } from '../apis/kind-client.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';

const types: readonly ResourceType[] = [
  ...Object.values(kymaInstanceMappingTypes),
  ...Object.values(instanceMappingTypes),
  ...Object.values(hanaConfigKinds).flatMap(configTypes),
  serviceInstances,
];
const typeOf = (document: Document.Parsed) =>
  types.find(
    (type) => apiVersionOf(type) === document.get('apiVersion') && type.kind === document.get('kind'),
  );

const manifests = (await allCodeBlocks('yaml')).flatMap(({ where, code }) =>
  parseAllDocuments(code).flatMap((document) => {
    // A page may show other objects in part, which need not be valid alone.
    const type = document.contents === null ? undefined : typeOf(document);
    return type === undefined ? [] : [{ where, object: document.toJS() as KubeObject, type }];
  }),
);

let management: ControlPlaneAccess;
beforeAll(async () => {
  ({ management } = await controlPlanes());
});

test('pages show manifests of both scopes', () => {
  expect(new Set(manifests.map(({ type }) => type.namespaced))).toEqual(new Set([true, false]));
});

// A dry run goes through defaulting and every validation, and leaves nothing for a provider to find.
test.each(manifests)('$where: $object.kind applies as it is', async ({ object, type }) => {
  const { name, namespace } = object.metadata;
  expect(namespace !== undefined).toBe(type.namespaced);
  if (namespace !== undefined) await objectsOf(management).apply(namespaces, namespaceManifest(namespace));
  const { status, body } = await kindClient(management, type, namespace).apply(name, object, 'dryRun=All');
  expect({ status, body }).toMatchObject({ status: 201 });
});
