/** A real API server accepts the manifests on the pages about ServiceInstances and ServiceBindings, with the strict CRDs. */
import '../harness/timeout.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import {
  apiVersionOf,
  leases,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
import { operatorLeaseName } from '../../../internal/systems/btp/operator-lease/operator-lease.ts';
import { allCodeBlocks } from '../../docs/pages.ts';
import { eventually } from '../../environment/eventually.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { objectsOf } from '../../environment/objects.ts';
import { clusterRoles } from '../../environment/rights.ts';
import { kindClient } from '../apis/kind-client.ts';
import { type BorrowedBtpPlane, borrowBtpPlane } from '../harness/btp/borrow-btp-plane.ts';

const admission = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const;
const policies: readonly ResourceType[] = [
  { ...admission, kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies' },
  { ...admission, kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings' },
];
const types: readonly ResourceType[] = [
  serviceInstances,
  serviceBindings,
  secrets,
  clusterRoles,
  ...policies,
];

/** Values of Helm, data of `template render`, and JSON objects that are no manifests have tests of their own. */
const isManifest = (value: object): value is KubeObject =>
  'apiVersion' in value || 'kind' in value || 'spec' in value;

const manifests = [...(await allCodeBlocks('yaml')), ...(await allCodeBlocks('json'))]
  .filter(({ where }) => where.startsWith('docs/service-operator/'))
  .flatMap(({ where, code }) =>
    parseAllDocuments(code).map((document) => ({ where, object: document.toJS() as object })),
  )
  .flatMap(({ where, object }) => (isManifest(object) ? [{ where, object }] : []));
const ofPolicies = manifests.flatMap(({ object }) =>
  policies.filter(({ kind }) => kind === object.kind).map((type) => ({ type, object })),
);
const typeOf = ({ apiVersion, kind }: KubeObject) =>
  types.find((type) => apiVersionOf(type) === apiVersion && type.kind === kind);

let borrowed: BorrowedBtpPlane;
let plane: ControlPlaneAccess;
beforeAll(async () => {
  borrowed = await borrowBtpPlane();
  ({ plane } = borrowed);
});
afterAll(async () => {
  if (borrowed === undefined) return;
  // What is left is restored, but not this.
  for (const { type, object } of ofPolicies) await objectsOf(plane).delete(type, object.metadata);
  await borrowed.giveBack();
});

test('the pages show whole manifests of every kind', () => {
  const kinds = new Set(manifests.map(({ object }) => typeOf(object)?.kind));
  expect([...kinds].sort()).toEqual(types.map(({ kind }) => kind).sort());
});

test.each(manifests)('$where: $object.kind applies as it is', async ({ object }) => {
  const type = typeOf(object);
  if (type === undefined) throw new Error(`${object.kind} is not known`);
  const { name, namespace } = object.metadata;
  if (namespace !== undefined) await objectsOf(plane).apply(namespaces, namespaceManifest(namespace));
  const { status, body } = await kindClient(plane, type, namespace).apply(name, object, 'dryRun=All');
  expect({ status, body }).toMatchObject({ status: 201 });
});

describe('the admission policies', () => {
  const inNamespace = (type: ResourceType, namespace: string) => kindClient(plane, type, namespace);
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  const forbidden = (message: string) => ({
    status: 403,
    body: { message: expect.stringContaining(message) },
  });
  const instance = (name: string, spec: object = {}) => ({
    apiVersion: apiVersionOf(serviceInstances),
    kind: 'ServiceInstance',
    metadata: { name },
    spec: { serviceOfferingName: 'sample', servicePlanName: 'standard', ...spec },
  });
  const binding = (name: string, serviceInstanceNamespace?: string) => ({
    apiVersion: apiVersionOf(serviceBindings),
    kind: 'ServiceBinding',
    metadata: { name },
    spec: { serviceInstanceName: 'orders', serviceInstanceNamespace },
  });
  const named = { btpAccessCredentialsSecret: 'special' };

  beforeAll(async () => {
    for (const name of ['shop', 'platform', 'sap-btp-operator'])
      await objectsOf(plane).apply(namespaces, namespaceManifest(name));
    await inNamespace(serviceInstances, 'shop').create(instance('before', named));
    await inNamespace(serviceBindings, 'shop').create(binding('before', 'platform'));
    for (const { type, object } of ofPolicies) await objectsOf(plane).apply(type, object);
    // The API server loads each of them by a watch.
    for (const refused of [
      () => inNamespace(leases, 'shop').create({ ...lease, metadata: { name: operatorLeaseName } }, dry),
      () => inNamespace(serviceInstances, 'shop').create(instance('any', named), dry),
      () => inNamespace(serviceBindings, 'shop').create(binding('any', 'platform'), dry),
    ])
      await eventually(async () => expect(await refused()).toMatchObject({ status: 403 }));
  });
  const dry = 'dryRun=All';

  test('keep users of a namespace from a Lease that would stop the operator', async () => {
    const operators = { ...lease, metadata: { name: operatorLeaseName } };
    const message = 'this Lease is reserved for the SAP BTP service operator';
    expect(await inNamespace(leases, 'shop').create(operators)).toMatchObject(forbidden(message));
    expect(await inNamespace(leases, 'sap-btp-operator').create(operators)).toMatchObject({ status: 201 });
    const others = { ...lease, metadata: { name: 'other' } };
    expect(await inNamespace(leases, 'shop').create(others)).toMatchObject({ status: 201 });
  });

  test('keep users of a namespace from credentials of the management namespace', async () => {
    const [shop, platform] = [
      inNamespace(serviceInstances, 'shop'),
      inNamespace(serviceInstances, 'platform'),
    ];
    const refusal = forbidden('spec.btpAccessCredentialsSecret is not allowed in this namespace');
    expect(await shop.create(instance('one', named))).toMatchObject(refusal);
    expect(await shop.create(instance('one'))).toMatchObject({ status: 201 });
    expect(await shop.patch('one', { spec: named })).toMatchObject(refusal);
    expect(await platform.create(instance('one', named))).toMatchObject({ status: 201 });
    expect(
      await shop.patch('before', { metadata: { finalizers: [] }, spec: { shared: true } }),
    ).toMatchObject({
      status: 200,
    });
  });

  test('keep users of a namespace from instances of other namespaces', async () => {
    const [shop, platform] = [inNamespace(serviceBindings, 'shop'), inNamespace(serviceBindings, 'platform')];
    const refusal = forbidden('the instance of a binding must be in the same namespace');
    expect(await shop.create(binding('one', 'platform'))).toMatchObject(refusal);
    expect(await shop.create(binding('one', 'shop'))).toMatchObject({ status: 201 });
    expect(await shop.patch('one', { spec: { serviceInstanceNamespace: 'platform' } })).toMatchObject(
      refusal,
    );
    expect(await shop.create(binding('two'))).toMatchObject({ status: 201 });
    expect(await platform.create(binding('one', 'shop'))).toMatchObject({ status: 201 });
    expect(await shop.patch('before', { spec: { secretName: 'other' } })).toMatchObject({ status: 200 });
  });
});
