import { glob, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import { namespaces, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { adminCredentialsRef } from '../../../../internal/systems/inventory/instancemapping/admin-credentials.ts';
import {
  type InstanceMapping,
  instanceMappingTypes,
} from '../../../../internal/systems/inventory/instancemapping/resource.ts';
import { namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { forFile, withoutViolations } from '../../harness/for-file.ts';
import { managedObject } from '../../harness/mappings/managed-object.ts';
import { environmentLabel } from '../../harness/mappings/mapping-context.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const folder = new URL('../../../../examples/', import.meta.url);
const files: string[] = [];
for await (const file of glob('{cluster,namespaced}/instancemapping/*.yaml', { cwd: folder }))
  files.push(file);

const environment = forFile(startTestEnvironment, withoutViolations);

test.each(files)('%s becomes Ready once its sources exist, and is deleted completely', async (file) => {
  const { management, simulator } = environment;
  const example: InstanceMapping = parse(await readFile(new URL(file, folder), 'utf8'));
  const { serviceInstanceID } = example.spec.forProvider;
  const { name, namespace }: KubeObject['metadata'] = example.metadata;
  const type = namespace === undefined ? instanceMappingTypes.cluster : instanceMappingTypes.namespaced;
  const { key, ...secret } = adminCredentialsRef(example);
  simulator.store.addInstance(serviceInstanceID);
  const { json } = await simulator.credentials(serviceInstanceID);
  await management.apply(namespaces, namespaceManifest(secret.namespace));
  await management.apply(secrets, secretManifest(secret, { [key]: json.credentials ?? '' }));
  const resource = managedObject<InstanceMapping>(management, type, name, namespace);
  try {
    const labels = { [environmentLabel]: environment.selector.split('=')[1] ?? '' };
    await management.apply(type, { ...example, metadata: { ...example.metadata, labels } });
    await resource.untilReady();
    const { platform, primaryID, secondaryID, isDefault = false } = example.spec.forProvider;
    expect(simulator.store.mappings(serviceInstanceID)).toEqual([
      { platform, primaryID, ...(secondaryID === undefined ? {} : { secondaryID }), isDefault },
    ]);
    await resource.delete();
    await resource.untilGone();
    expect(simulator.store.mappings(serviceInstanceID)).toEqual([]);
  } finally {
    await resource.forget();
    await management.delete(secrets, secret);
  }
});
