/** A real API server accepts the manifests of our kinds: those of the examples, and those on the pages. */
import { glob, readFile } from 'node:fs/promises';
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

interface Manifest {
  readonly where: string;
  readonly object: KubeObject;
  readonly type: ResourceType;
}

/** Other objects are left out: a page may show them in part, which need not be valid alone. */
const manifestsIn = (where: string, text: string): Manifest[] =>
  parseAllDocuments(text).flatMap((document) => {
    const type = document.contents === null ? undefined : typeOf(document);
    return type === undefined ? [] : [{ where, object: document.toJS() as KubeObject, type }];
  });

const root = new URL('../../../', import.meta.url);
const examples: { readonly path: string; readonly text: string }[] = [];
for await (const path of glob('examples/{cluster,namespaced,provider-config,argocd/mappings}/**/*.yaml', {
  cwd: root,
}))
  examples.push({ path, text: await readFile(new URL(path, root), 'utf8') });
const ofExamples = examples.flatMap(({ path, text }) => manifestsIn(path, text));
const ofPages = (await allCodeBlocks('yaml')).flatMap(({ where, code }) => manifestsIn(where, code));

let management: ControlPlaneAccess;
beforeAll(async () => {
  ({ management } = await controlPlanes());
});

test('pages show manifests of both scopes, and each kind of ours has an example', () => {
  expect(new Set(ofPages.map(({ type }) => type.namespaced))).toEqual(new Set([true, false]));
  const shown = new Set(ofExamples.map(({ type }) => type));
  expect(types.filter((type) => type !== serviceInstances && !shown.has(type))).toEqual([]);
});

test.each(examples)('$path states what it needs, and has objects of our kinds alone', ({ path, text }) => {
  expect(text).toMatch(/^#[\s\S]*?\n# Prerequisites/);
  expect(manifestsIn(path, text)).toHaveLength(parseAllDocuments(text).length);
});

// A dry run goes through defaulting and every validation, and leaves nothing for a provider to find.
test.each([...ofExamples, ...ofPages])('$where: $object.kind applies as it is', async ({ object, type }) => {
  const { name, namespace } = object.metadata;
  expect(namespace !== undefined).toBe(type.namespaced);
  if (namespace !== undefined) await objectsOf(management).apply(namespaces, namespaceManifest(namespace));
  const { status, body } = await kindClient(management, type, namespace).apply(name, object, 'dryRun=All');
  expect({ status, body }).toMatchObject({ status: 201 });
});
