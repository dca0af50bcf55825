/** The generated schema against a real API server: what it fills in and refuses must be the same. */
import { glob, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createKubeClient, type RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { apiError } from '../../../internal/framework/kube/fakes/memory-client.ts';
import {
  apiVersionOf,
  namespaces,
  type ResourceType,
} from '../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { parseManifests } from '../../../internal/program/plan/manifests.ts';
import { desiredOf } from '../../../internal/program/plan/targets.ts';
import { loadModules } from '../../../internal/program/provider/open-modules.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { objectsOf } from '../../environment/objects.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';

const root = new URL('../../../', import.meta.url);
const signal = AbortSignal.timeout(300_000);

let client: RestClient;
beforeAll(async () => {
  const { management } = await controlPlanes();
  client = createKubeClient({
    config: parseUntrustedKubeconfig(management.kubeconfig),
    clock: systemClock,
  });
});
afterAll(() => client.close());

const kinds = (await loadModules()).flatMap((module) => module.kinds);
const examples: { path: string; type: ResourceType<Managed>; manifest: Managed }[] = [];
for await (const path of glob('examples/{cluster,namespaced}/**/*.yaml', { cwd: root })) {
  for (const { object } of parseManifests(await readFile(new URL(path, root), 'utf8'), path)) {
    const type = kinds.find(
      (each) => apiVersionOf(each.type) === object.apiVersion && each.type.kind === object.kind,
    )?.type;
    if (type !== undefined) examples.push({ path, type, manifest: object as Managed });
  }
}

/** As for a user without the permission for access reviews. */
const forbidding = () => ({
  ...client,
  create: async () => {
    throw apiError(403, 'Forbidden');
  },
});

const bothWays = async (type: ResourceType<Managed>, manifest: Managed) => {
  const options = { type, clock: systemClock, signal };
  const outcome = (result: Promise<unknown>) =>
    result.then(
      (value) => ({ value: value as { object: Managed; checkedBy: string } }),
      (error: unknown) => ({ error: String(error) }),
    );
  return {
    server: await outcome(desiredOf(manifest, { ...options, client })),
    schema: await outcome(desiredOf(manifest, { ...options, client: forbidding() })),
  };
};

test.each(examples)('$path gets the same defaults from both', async ({ type, manifest }) => {
  const { namespace } = manifest.metadata;
  if (namespace !== undefined) {
    const { management } = await controlPlanes();
    await objectsOf(management).apply(namespaces, namespaceManifest(namespace));
  }
  const { server, schema } = await bothWays(type, manifest);
  if (!('value' in server) || !('value' in schema)) throw new Error(JSON.stringify({ server, schema }));
  expect([server.value.checkedBy, schema.value.checkedBy]).toEqual(['server', 'schema']);
  expect(schema.value.object.spec).toEqual(server.value.object.spec);
  expect(schema.value.object.metadata).toMatchObject({
    name: manifest.metadata.name,
    uid: expect.any(String),
    creationTimestamp: expect.any(String),
  });
});

test('every kind has examples', () => {
  expect(new Set(examples.map(({ type }) => type))).toEqual(new Set(kinds.map(({ type }) => type)));
});

describe('both refuse', () => {
  const refs = {
    serviceInstanceRef: { name: 'hana', namespace: 'shop' },
    adminBindingRef: { name: 'hana-admin', namespace: 'shop' },
  };
  test.each([
    {
      what: 'a field that does not exist',
      forProvider: { ...refs, targetNamespce: 'x' },
      why: /targetNamespce/,
    },
    {
      what: 'a field that is missing',
      forProvider: { serviceInstanceRef: refs.serviceInstanceRef },
      why: /adminBindingRef: Required value/,
    },
    { what: 'another type', forProvider: { ...refs, isDefault: 'yes' }, why: /isDefault: Invalid value/ },
  ])('$what', async ({ forProvider, why }) => {
    const manifest = {
      apiVersion: kymaInstanceMappings.apiVersion,
      kind: kymaInstanceMappings.kind,
      metadata: { name: 'refused' },
      spec: { forProvider },
    } as Managed;
    const { server, schema } = await bothWays(kymaInstanceMappings, manifest);
    expect(server).toEqual({ error: expect.stringMatching(why) });
    expect(schema).toEqual({ error: expect.stringMatching(why) });
  });
});
