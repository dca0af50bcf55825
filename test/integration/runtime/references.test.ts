import { highPriorityRequest } from '../../../internal/framework/controller/reconcile-result.ts';
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nopLogger } from '../../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createKubeClient, type RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { createFakeRecorder } from '../../../internal/framework/kube/fakes/fake-recorder.ts';
import { namespaces, type ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { createFakeExternal } from '../../../internal/framework/managed/fakes/fake-external.ts';
import { createManagedReconciler } from '../../../internal/framework/managed/managed-controller.ts';
import type { Reference } from '../../../internal/framework/managed/references/reference.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { installCrds } from '../../environment/install-crds.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { thingCrd } from './thing-crd.ts';

/**
 * Behaviour of a real API server only: which manager owns which field, and what happens to fields that are given up.
 */
interface Thing extends Managed {
  spec: Managed['spec'] & {
    forProvider: {
      size: number;
      colour?: string;
      network?: string | undefined;
      networkRef?: Reference | undefined;
      zone?: string | undefined;
      zoneRef?: Reference | undefined;
    };
  };
}

const manager = 'managed.crossplane.io/api-simple-reference-resolver';
const type: ResourceType<Thing> = {
  group: `${uniqueName('references')}.example.org`,
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};
const namespace = uniqueName('references');
let client: RestClient;
let objects: Objects;

beforeAll(async () => {
  const { management } = await controlPlanes();
  objects = objectsOf(management);
  const text = { type: 'string' };
  const reference = {
    type: 'object',
    properties: { name: text, policy: { type: 'object', properties: { resolve: text } } },
  };
  await installCrds(management, [
    thingCrd(type, { network: text, networkRef: reference, zone: text, zoneRef: reference }),
  ]);
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  client = createKubeClient({ config: parseUntrustedKubeconfig(management.kubeconfig), clock: systemClock });
});
afterAll(() => client.close());

const thing = (name: string, forProvider: Thing['spec']['forProvider']) =>
  objects.apply(type, {
    apiVersion: `${type.group}/v1`,
    kind: 'Thing',
    metadata: { name, namespace },
    spec: { forProvider },
  });

async function reconcile(name: string): Promise<Thing> {
  const { connector } = createFakeExternal<Thing>({ observe: { state: 'present', upToDate: true } });
  const run = createManagedReconciler<Thing>({
    kind: {
      type,
      connector,
      initializers: [],
      resolveReferences: async ({ spec: { forProvider } }, references) => {
        const to = { type, extract: (found: Thing) => found.spec.forProvider.colour };
        const network = { value: forProvider.network, ref: forProvider.networkRef, selector: undefined, to };
        forProvider.network = (await references.one(network)).value;
        const zone = { value: forProvider.zone, ref: forProvider.zoneRef, selector: undefined, to };
        forProvider.zone = (await references.one(zone)).value;
      },
    },
    client,
    read: (key, signal) => client.get(type, { namespace, name: key.split('/')[1] ?? '' }, { signal }),
    recorder: createFakeRecorder(),
    clock: systemClock,
    random: Math.random,
    log: nopLogger,
  });
  await run(`${namespace}/${name}`, new AbortController().signal, highPriorityRequest);
  return objects.get(type, { namespace, name });
}

test('a resolved value stays when another one is resolved later, and is not owned by the user', async () => {
  await thing('blue', { size: 1, colour: 'blue' });
  await thing('red', { size: 1, colour: 'red' });
  const name = uniqueName('refers');
  const user = { size: 1, networkRef: { name: 'blue' } };
  await thing(name, user);
  expect((await reconcile(name)).spec.forProvider).toEqual({ ...user, network: 'blue' });

  const more = { ...user, zoneRef: { name: 'red' } };
  await thing(name, more);
  const resolved = await reconcile(name);
  expect(resolved.spec.forProvider).toEqual({ ...more, network: 'blue', zone: 'red' });
  const entries = resolved.metadata.managedFields as { manager: string; fieldsV1: unknown }[];
  expect(entries.find((entry) => entry.manager === manager)?.fieldsV1).toEqual({
    'f:spec': { 'f:forProvider': { 'f:network': {}, 'f:zone': {} } },
  });
});

test('a value that is always resolved follows its referenced object', async () => {
  const name = uniqueName('follows');
  const target = uniqueName('target');
  await thing(target, { size: 1, colour: 'blue' });
  await thing(name, { size: 1, networkRef: { name: target, policy: { resolve: 'Always' } } });
  expect((await reconcile(name)).spec.forProvider.network).toBe('blue');
  await thing(target, { size: 1, colour: 'green' });
  expect((await reconcile(name)).spec.forProvider.network).toBe('green');
});
