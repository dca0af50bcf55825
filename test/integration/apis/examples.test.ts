import { glob, readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
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
import { namespaceManifest } from '../../environment/manifests.ts';
import { objectsOf } from '../../environment/objects.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';
import { kindClient } from './kind-client.ts';

const root = new URL('../../../', import.meta.url);
const types: readonly ResourceType[] = [
  ...Object.values(kymaInstanceMappingTypes),
  ...Object.values(instanceMappingTypes),
  ...Object.values(hanaConfigKinds).flatMap(configTypes),
];

let management: ControlPlaneAccess;

beforeAll(async () => {
  ({ management } = await controlPlanes());
});

const paths: string[] = [];
for await (const path of glob('examples/{cluster,namespaced,provider-config,argocd/mappings}/**/*.yaml', {
  cwd: root,
}))
  paths.push(path);

test('each kind that users create has an example', () => {
  expect(paths.sort()).toEqual(
    expect.arrayContaining([
      'examples/cluster/instancemapping/kubernetes.yaml',
      'examples/cluster/kymainstancemapping/import.yaml',
      'examples/cluster/kymainstancemapping/local.yaml',
      'examples/cluster/kymainstancemapping/remote.yaml',
      'examples/namespaced/instancemapping/kubernetes.yaml',
      'examples/namespaced/kymainstancemapping/local.yaml',
      'examples/namespaced/kymainstancemapping/remote.yaml',
      'examples/namespaced/provider-config/cluster.yaml',
      'examples/namespaced/provider-config/namespaced.yaml',
      'examples/provider-config/none.yaml',
    ]),
  );
});

// A dry run goes through defaulting and every validation, and leaves nothing for a provider to find.
test.each(paths)('%s applies as it is, and states what it needs', async (path) => {
  const text = await readFile(new URL(path, root), 'utf8');
  expect(text).toMatch(/^#[\s\S]*?\n# Prerequisites/);
  for (const document of parseAllDocuments(text)) {
    const object: KubeObject = document.toJS();
    const type = types.find((each) => apiVersionOf(each) === object.apiVersion && each.kind === object.kind);
    if (type === undefined) throw new Error(`${path} holds a ${object.apiVersion} ${object.kind}`);
    const { name, namespace } = object.metadata;
    expect(namespace !== undefined).toBe(type.namespaced);
    if (namespace !== undefined) await objectsOf(management).apply(namespaces, namespaceManifest(namespace));
    const { status, body } = await kindClient(management, type, namespace).apply(name, object, 'dryRun=All');
    expect({ status, body }).toMatchObject({ status: 201 });
  }
});
