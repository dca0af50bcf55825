/**
 * The Composition hana-database from end to end but for Crossplane itself: its rendered resources are applied, strictly, to
 * a real API server with the real CRDs; one process with both modules makes them Ready, and its result is what the functions
 * got as observed resources; they are deleted in the order that the usages prescribe, and nothing is left in Service Manager
 * and HANA Cloud.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { namespacedKymaInstanceMappings } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { serviceBindings } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { type ControlPlane, startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import {
  configMaps,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import { crdsOf } from '../../../compositions/composite-crd.ts';
import { hanaDatabase, inputsOf, readObjects, renderedPath } from '../../../compositions/stages.ts';
import { eventually } from '../../../environment/eventually.ts';
import { btpCrds, installCrds, packageCrds } from '../../../environment/install-crds.ts';
import { configMapManifest, namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../../environment/objects.ts';
import { hanaCloudBroker, hanaCloudCatalog } from '../../../simulators/hana-cloud/broker.ts';
import {
  type HanaCloudSimulator,
  startHanaCloudSimulator,
} from '../../../simulators/hana-cloud/simulator.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../../simulators/service-manager/simulator.ts';
import { type ProviderProcesses, providerProcesses } from '../../harness/provider/provider-process.ts';
import { type AsCrossplane, asCrossplane } from './as-crossplane.ts';
import { INSTANCE_ID } from './database-sources.ts';
import { expectObserved, recording } from './observed-records.ts';

const namespace = 'team-shop';
const release = 'kyma-system';

let plane: ControlPlane;
let objects: Objects;
let crossplane: AsCrossplane;
let hanaCloud: HanaCloudSimulator;
let serviceManager: ServiceManagerSimulator;
let processes: ProviderProcesses;

beforeAll(async () => {
  [plane, hanaCloud] = await Promise.all([
    startControlPlane({ name: 'hana-database' }),
    startHanaCloudSimulator(),
  ]);
  serviceManager = await startServiceManagerSimulator({
    catalog: hanaCloudCatalog,
    broker: hanaCloudBroker(hanaCloud),
  });
  objects = objectsOf(plane);
  crossplane = asCrossplane(plane);
  const definitions = (await readObjects(inputsOf(hanaDatabase, 'composed').definition)).flatMap(crdsOf);
  await installCrds(plane, [...(await packageCrds()), ...(await btpCrds()), ...definitions]);
  for (const name of [namespace, release]) await objects.apply(namespaces, namespaceManifest(name));
  const { secret } = await serviceManager.credentials();
  const credentials = { namespace: release, name: 'sap-btp-service-operator' };
  await objects.apply(secrets, secretManifest(credentials, secret));
  const clusterID = { namespace: release, name: 'sap-btp-operator-config' };
  await objects.apply(configMaps, configMapManifest(clusterID, { CLUSTER_ID: 'c-1' }));
  processes = await providerProcesses(`${hanaCloud.caCertificate}\n${serviceManager.caCertificate}`);
  await processes.start({
    kubeconfig: plane.kubeconfig,
    args: ['--controllers=config,inventory,btp'],
    env: { CLUSTER_ID: 'c-1', RELEASE_NAMESPACE: release, ENABLE_WEBHOOKS: 'false' },
  });
});
afterAll(async () => {
  await processes?.stop();
  await Promise.all([serviceManager?.stop(), hanaCloud?.stop(), plane?.stop()]);
});

const types: readonly ResourceType[] = [serviceInstances, serviceBindings, namespacedKymaInstanceMappings];
const typeOf = ({ kind }: KubeObject): ResourceType => {
  const type = types.find((each) => each.kind === kind);
  if (type === undefined) throw new Error(`${kind} is not ours`);
  return type;
};
/** The name of a resource in the Composition. */
const partOf = ({ metadata }: KubeObject) =>
  metadata.annotations?.['crossplane.io/composition-resource-name'] ?? '';

interface Used {
  readonly kind: string;
  readonly resourceRef: { readonly name: string };
}
interface Usage extends KubeObject {
  readonly spec: { readonly of: Used; readonly by: Used };
}
const isNamed = ({ kind, resourceRef }: Used, part: KubeObject) =>
  kind === part.kind && resourceRef.name === part.metadata.name;

interface Part extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
    readonly secretVersion?: string;
  };
}

/** The composed resources of the provider, as they are now. */
let parts: readonly KubeObject[];
let usages: readonly Usage[];
const current = () =>
  Promise.all(
    parts.map((part) =>
      objects.get(typeOf(part) as ResourceType<Part>, { namespace, name: part.metadata.name }),
    ),
  );
/** The condition `Ready` of each part. */
const readiness = async () => {
  const conditions = (await current()).map(
    (part) => [partOf(part), part.status?.conditions?.find(({ type }) => type === 'Ready')] as const,
  );
  return Object.fromEntries(conditions);
};
const ready = expect.objectContaining({ status: 'True' });
const notReady = expect.objectContaining({ status: 'False' });

/** As Crossplane's controller leaves a usage whose two resources exist. */
function settled(usage: Usage): KubeObject {
  for (const used of [usage.spec.of, usage.spec.by]) {
    expect(parts.filter((part) => isNamed(used, part))).toHaveLength(1);
  }
  const available = {
    type: 'Ready',
    status: 'True',
    reason: 'Available',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return { ...usage, status: { conditions: [available] } } as KubeObject;
}

const instanceIn = (name: string) => serviceManager.store.instances().find((each) => each.name === name);

async function observed() {
  const now = await current();
  const names = [
    [instanceIn('team-shop-orders')?.id, INSTANCE_ID],
    [instanceIn('team-shop-orders-admin')?.id, 'b6f0c1de-52a4-4f0e-9a55-0c9f6f3a7e21'],
    [serviceManager.store.bindings()[0]?.id, '90c7d2b4-1e8f-4a6b-8d3c-6a5b4f2e1d09'],
    ...now.map(({ status }) => [status?.secretVersion, 'uid/1']),
  ].filter(([name]) => name !== undefined);
  return {
    objects: [...now, ...usages.map(settled)],
    names: Object.fromEntries(names) as Record<string, string>,
  };
}

test('an API server accepts the composed resources, and all but the mapping and its database become Ready', async () => {
  const [asked] = (await readObjects(hanaDatabase.composite)) as [KubeObject];
  const composite = await crossplane.apply(asked);
  expect(await crossplane.applyStatus(hanaDatabase, 'composed')).toMatchObject({
    Synced: 'True',
    Ready: 'False',
  });
  const [, ...composed] = await readObjects(renderedPath(hanaDatabase.name, 'composed'));
  usages = composed.filter(({ kind }) => kind === 'Usage') as Usage[];
  parts = composed.filter(({ kind }) => kind !== 'Usage');
  for (const part of parts) await crossplane.compose(part, composite);

  await eventually(async () => {
    const now = await readiness();
    expect(now).toEqual({ access: ready, binding: ready, database: notReady, mapping: notReady });
    // The mapping was reconciled since the binding is Ready, and since its database has a condition.
    expect(now.mapping?.message).toMatch(
      /^[^;]*orders has no status.instanceID[^;]*; [^;]*NotProvisioned[^;]*$/,
    );
  });
  await expectObserved(hanaDatabase, 'waiting', observed);
  if (recording) return;
  expect(await crossplane.applyStatus(hanaDatabase, 'waiting')).toMatchObject({
    Synced: 'True',
    Ready: 'False',
  });
});

test('with the parameters of the database all become Ready, and so does the composite with its status', async () => {
  const parameters = { namespace, name: 'orders-parameters' };
  const password = JSON.stringify({ systempassword: 'sample' });
  await objects.apply(secrets, secretManifest(parameters, { parameters: password }));
  await eventually(async () =>
    expect(await readiness()).toEqual({ access: ready, binding: ready, database: ready, mapping: ready }),
  );

  const database = instanceIn('team-shop-orders');
  expect(database?.parameters).toEqual({ memory: 32, systempassword: 'sample' });
  expect(hanaCloud.store.mappings(database?.id ?? '')).toMatchObject([
    { primaryID: 'c-1', secondaryID: namespace },
  ]);
  await expectObserved(hanaDatabase, 'ready', observed);
  if (recording) return;
  expect(await crossplane.applyStatus(hanaDatabase, 'ready')).toMatchObject({
    Synced: 'True',
    Ready: 'True',
  });
});

test('deleted in the order of the usages, they leave nothing', async () => {
  const left = [...parts];
  const order: string[] = [];
  while (left.length > 0) {
    const isUsed = (part: KubeObject) =>
      usages.some(({ spec }) => isNamed(spec.of, part) && left.some((other) => isNamed(spec.by, other)));
    const index = left.findIndex((part) => !isUsed(part));
    const [next] = left.splice(index, 1);
    if (index < 0 || next === undefined) throw new Error('the usages have a cycle');
    order.push(partOf(next));
    const key = { namespace, name: next.metadata.name };
    await objects.delete(typeOf(next), key);
    await eventually(async () => expect(await objects.find(typeOf(next), key)).toBeUndefined());
  }
  expect(order.indexOf('mapping')).toBeLessThan(order.indexOf('binding'));
  expect(hanaCloud.requests({ route: 'delete' })).toMatchObject([{ status: 204 }]);
  expect([...serviceManager.store.bindings(), ...serviceManager.store.instances()]).toEqual([]);
  expect(hanaCloud.store.instances()).toEqual([]);
  expect(await objects.find(secrets, { namespace, name: 'orders-admin' })).toBeUndefined();
  expect([...hanaCloud.violations(), ...serviceManager.violations()]).toEqual([]);
});
