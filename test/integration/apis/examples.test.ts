import { glob, readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { providerConfigs } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfig.gen.ts';
import { instanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access.ts';
import type { KubeObject } from '../../../internal/kube/object.ts';
import { installCrds, packageCrds } from '../../landscape/install-crds.ts';
import { controlPlanes } from '../harness/control-planes.ts';
import { kindClient } from './kind-client.ts';

const root = new URL('../../../', import.meta.url);
const types = [kymaInstanceMappings, instanceMappings, providerConfigs];

let management: ControlPlaneAccess;

beforeAll(async () => {
  ({ management } = await controlPlanes());
  await installCrds(management, await packageCrds());
});

const paths: string[] = [];
for await (const path of glob('examples/{cluster,provider-config}/**/*.yaml', { cwd: root }))
  paths.push(path);

test('there is an example of each kind that users write', () => {
  expect(paths.sort()).toEqual(
    expect.arrayContaining([
      'examples/cluster/instancemapping/kubernetes.yaml',
      'examples/cluster/kymainstancemapping/import.yaml',
      'examples/cluster/kymainstancemapping/local.yaml',
      'examples/cluster/kymainstancemapping/remote.yaml',
      'examples/provider-config/none.yaml',
    ]),
  );
});

// A dry run goes through defaulting and every validation, and leaves nothing for a provider to find.
test.each(paths)('%s applies as it stands, and says what it needs', async (path) => {
  const text = await readFile(new URL(path, root), 'utf8');
  expect(text).toMatch(/^#[\s\S]*?\n# Prerequisites/);
  for (const document of parseAllDocuments(text)) {
    const object: KubeObject = document.toJS();
    const type = types.find(
      ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
    );
    if (type === undefined) throw new Error(`${path} holds a ${object.apiVersion} ${object.kind}`);
    const { status, body } = await kindClient(management, type).apply(
      object.metadata.name,
      object,
      'dryRun=All',
    );
    expect({ status, body }).toMatchObject({ status: 201 });
  }
});
