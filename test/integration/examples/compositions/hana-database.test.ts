/**
 * The Composition hana-database from end to end but for Crossplane itself: its rendered resources are applied, strictly, to
 * a real API server with the real CRDs; one process with both modules makes them Ready; they are deleted in the order that
 * the usages prescribe, and nothing is left in Service Manager and HANA Cloud.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { kymaInstanceMappings } from '../../../../apis/inventory.hana.m.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { serviceBindings } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { type ControlPlane, startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import type { KubeObject } from '../../../../internal/kube/object/object.ts';
import {
  configMaps,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/kube/object/resource-type.ts';
import { crdsOf } from '../../../compositions/composite-crd.ts';
import { databaseDefinition, databaseExample, renderDatabase } from '../../../compositions/hana-database.ts';
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

const namespace = 'team-shop';
const release = 'kyma-system';

let plane: ControlPlane;
let objects: Objects;
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
  const definitions = (await databaseDefinition()).flatMap(crdsOf);
  await installCrds(plane, [...(await packageCrds()), ...(await btpCrds()), ...definitions]);
  for (const name of [namespace, release]) await objects.apply(namespaces, namespaceManifest(name));
  const { secret } = await serviceManager.credentials();
  const credentials = { namespace: release, name: 'sap-btp-service-operator' };
  await objects.apply(secrets, secretManifest(credentials, secret));
  const clusterID = { namespace: release, name: 'sap-btp-operator-config' };
  await objects.apply(configMaps, configMapManifest(clusterID, { CLUSTER_ID: 'c-1' }));
  const parameters = { namespace, name: 'orders-parameters' };
  const password = JSON.stringify({ systempassword: 'sample' });
  await objects.apply(secrets, secretManifest(parameters, { parameters: password }));
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

const types: readonly ResourceType[] = [serviceInstances, serviceBindings, kymaInstanceMappings];
const typeOf = ({ kind }: KubeObject): ResourceType => {
  const type = types.find((each) => each.kind === kind);
  if (type === undefined) throw new Error(`${kind} is not ours`);
  return type;
};
const partOf = ({ metadata }: KubeObject) => metadata.labels?.['platform.example.org/part'] ?? '';

interface Usage extends KubeObject {
  readonly spec: Record<'of' | 'by', { resourceSelector: { matchLabels: Record<string, string> } }>;
}
const selectedBy = ({ resourceSelector }: Usage['spec']['of']) =>
  resourceSelector.matchLabels['platform.example.org/part'] ?? '';

interface WithConditions extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}
const readiness = async (object: KubeObject): Promise<string> => {
  const key = { namespace, name: object.metadata.name };
  const found = await objects.get<WithConditions>(typeOf(object) as ResourceType<WithConditions>, key);
  return found.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'none';
};

test('all composed resources become Ready, and are deleted in the order of the usages', async () => {
  const composite = await applyStrictly(await databaseExample());
  const { composed } = await renderDatabase(composite);
  const usages = composed.filter(({ kind }) => kind === 'Usage') as Usage[];
  const parts = composed.filter(({ kind }) => kind !== 'Usage');
  for (const part of parts) {
    await applyStrictly({ ...part, metadata: { ...part.metadata, namespace } });
  }
  await eventually(async () =>
    expect(await Promise.all(parts.map(readiness))).toEqual(parts.map(() => 'True')),
  );

  const database = serviceManager.store.instances().find(({ name }) => name === 'team-shop-orders');
  expect(database?.parameters).toEqual({ memory: 32, systempassword: 'sample' });
  expect(hanaCloud.store.mappings(database?.id ?? '')).toMatchObject([
    { primaryID: 'c-1', secondaryID: namespace },
  ]);
  const key = { namespace, name: 'orders' };
  const mapping = await objects.get(kymaInstanceMappings, key);
  const { status } = await renderDatabase(composite, { mapping });
  expect(status).toEqual({ instanceID: database?.id });
  await applyStrictly({ ...composite, status } as KubeObject, '/status');

  const left = [...parts];
  const order: string[] = [];
  while (left.length > 0) {
    const isUsed = (part: KubeObject) =>
      usages.some(
        ({ spec }) =>
          selectedBy(spec.of) === partOf(part) && left.some((other) => partOf(other) === selectedBy(spec.by)),
      );
    const index = left.findIndex((part) => !isUsed(part));
    const [next] = left.splice(index, 1);
    if (index < 0 || next === undefined) throw new Error('the usages have a cycle');
    order.push(partOf(next));
    const itsKey = { namespace, name: next.metadata.name };
    await objects.delete(typeOf(next), itsKey);
    await eventually(async () => expect(await objects.find(typeOf(next), itsKey)).toBeUndefined());
  }
  expect(order.indexOf('mapping')).toBeLessThan(order.indexOf('binding'));
  expect(hanaCloud.requests({ route: 'delete' })).toMatchObject([{ status: 204 }]);
  expect([...serviceManager.store.bindings(), ...serviceManager.store.instances()]).toEqual([]);
  expect(hanaCloud.store.instances()).toEqual([]);
  expect(await objects.find(secrets, { namespace, name: 'orders-admin' })).toBeUndefined();
  expect([...hanaCloud.violations(), ...serviceManager.violations()]).toEqual([]);
});

/** As Crossplane does. */
async function applyStrictly(object: KubeObject, subresource = ''): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = object;
  const body = { ...object, metadata: { ...metadata, managedFields: undefined } };
  const path = `/apis/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s/${metadata.name}${subresource}`;
  const response = await plane.request(`${path}?fieldManager=crossplane&force=true&fieldValidation=Strict`, {
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    body,
  });
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
  return response.body as KubeObject;
}
