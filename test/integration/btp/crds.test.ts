/**
 * The CRDs of the SAP BTP service operator on a real API server. It is none of the two that all files share, which have these
 * kinds with an open schema.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { kindClient, refusal } from '../apis/kind-client.ts';
import { type BorrowedBtpPlane, borrowBtpPlane } from '../harness/btp/borrow-btp-plane.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';

const group = 'services.cloud.sap.com';

let borrowed: BorrowedBtpPlane;
let plane: ControlPlaneAccess;

beforeAll(async () => {
  borrowed = await borrowBtpPlane();
  ({ plane } = borrowed);
});
afterAll(() => borrowed?.giveBack());

const instances = (version = 'v1') =>
  kindClient(
    plane,
    { group, version, kind: 'ServiceInstance', plural: 'serviceinstances', namespaced: true },
    'default',
  );
const bindings = (version = 'v1') =>
  kindClient(
    plane,
    { group, version, kind: 'ServiceBinding', plural: 'servicebindings', namespaced: true },
    'default',
  );

const instance = (spec: object, version = 'v1') => ({
  apiVersion: `${group}/${version}`,
  kind: 'ServiceInstance',
  metadata: { name: uniqueName('instance') },
  spec,
});
const binding = (spec: object, version = 'v1') => ({
  apiVersion: `${group}/${version}`,
  kind: 'ServiceBinding',
  metadata: { name: uniqueName('binding') },
  spec,
});
const plan = { serviceOfferingName: 'offering', servicePlanName: 'plan' };
const condition = {
  type: 'Succeeded',
  status: 'True',
  reason: 'Created',
  message: 'done',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

const noOffering = 'spec.serviceOfferingName: Required value';
const noPlan = 'spec.servicePlanName: Required value';

test.each([
  ['[B1] neither', {}, [noOffering, noPlan]],
  ['[B2] an offering only', { serviceOfferingName: 'offering' }, [noPlan]],
  ['[B3] a plan only', { servicePlanName: 'plan' }, [noOffering]],
  ['[B4] the ID of a plan only', { servicePlanID: 'id' }, [noOffering, noPlan]],
  ['empty names', { serviceOfferingName: '', servicePlanName: '' }, ['should be at least 1 chars long']],
])('a ServiceInstance needs an offering and a plan: %s is refused', async (_, spec, problems) => {
  for (const version of ['v1', 'v1alpha1'])
    expect(await instances(version).create(instance(spec, version))).toMatchObject(refusal(...problems));
});

test('[B69] a ServiceBinding needs the name of an instance', async () => {
  expect(await bindings().create(binding({ serviceInstanceName: '' }))).toMatchObject(
    refusal('spec.serviceInstanceName', 'should be at least 1 chars long'),
  );
});

test('an ID in Service Manager that a user writes is not stored: neither with the object nor by an update', async () => {
  for (const version of ['v1', 'v1alpha1']) {
    const cases = [
      { client: instances(version), object: instance(plan, version), id: 'instanceID' },
      {
        client: bindings(version),
        object: binding({ serviceInstanceName: 'one' }, version),
        id: 'bindingID',
      },
    ];
    for (const { client, object, id } of cases) {
      const status = { conditions: [condition], [id]: 'of another' };
      const answers = [
        await client.create({ ...object, status }),
        await client.patch(object.metadata.name, { status }),
      ];
      expect(answers.map((answer) => answer.status)).toEqual([201, 200]);
      for (const { body } of answers) expect(body).not.toHaveProperty('status');
    }
  }
});

describe('without webhooks', () => {
  const spec = {
    serviceInstanceName: 'one',
    externalName: 'name',
    secretKey: 'key',
    parameters: { a: 1 },
    userInfo: { username: 'ann' },
  };
  const create = async (version: string, isBound: boolean, more: object = {}) => {
    const object = binding(spec, version);
    const { name } = object.metadata;
    await bindings(version).create(object);
    const status = { conditions: [], ...(isBound ? { bindingID: 'id' } : {}), ...more };
    expect(await bindings(version).patchStatus(name, status)).toMatchObject({ status: 200 });
    return name;
  };
  const changes = [
    { externalName: 'other' },
    { serviceInstanceName: 'other' },
    { parameters: { a: 2 } },
    { secretKey: 'other' },
    { secretRootKey: 'other' },
    { secretName: 'other' },
    { secretKey: null },
    { parametersFrom: [{ secretKeyRef: { name: 's', key: 'k' } }] },
  ];

  test('[B101-B104] a bound ServiceBinding keeps its spec', async () => {
    for (const version of ['v1', 'v1alpha1']) {
      const name = await create(version, true);
      for (const change of changes) {
        expect(await bindings(version).patch(name, { spec: change })).toMatchObject(
          refusal('spec: Forbidden: updating service bindings is not supported'),
        );
      }
    }
    const name = await create('v1', true);
    expect(await bindings().patch(name, { spec: { serviceInstanceNamespace: 'other' } })).toMatchObject(
      refusal('updating service bindings is not supported'),
    );
  });

  test('a bound ServiceBinding that was never ready accepts what corrects its Secret, and nothing else', async () => {
    for (const version of ['v1', 'v1alpha1']) {
      const name = await create(version, true, { ready: 'False' });
      for (const change of changes) {
        const isOfSecret = Object.keys(change).every((field) => field.startsWith('secret'));
        expect(await bindings(version).patch(name, { spec: change })).toMatchObject(
          isOfSecret ? { status: 200 } : refusal('updating service bindings is not supported'),
        );
      }
    }
    const written = await create('v1', true, { ready: 'False', secretVersion: 'uid/1' });
    expect(await bindings().patch(written, { spec: { secretName: 'other' } })).toMatchObject(
      refusal('updating service bindings is not supported'),
    );
  });

  test('a bound ServiceBinding accepts another template and another rotation', async () => {
    const name = await create('v1', true);
    const change = { secretTemplate: 'kind: Secret', credentialsRotationPolicy: { enabled: true } };
    expect(await bindings().patch(name, { spec: change })).toMatchObject({
      status: 200,
      body: {
        spec: { credentialsRotationPolicy: { rotationFrequency: '72h', rotatedBindingTTL: '48h' } },
      },
    });
  });

  test('an unbound ServiceBinding accepts every change but another user', async () => {
    const name = await create('v1', false);
    for (const change of changes) {
      expect(await bindings().patch(name, { spec: change })).toMatchObject({ status: 200 });
    }
  });

  test('[B108] the user of a ServiceBinding cannot be changed', async () => {
    const name = await create('v1', false);
    expect(await bindings().patch(name, { spec: { userInfo: { username: 'bob' } } })).toMatchObject(
      refusal('modifying spec.userInfo is not allowed'),
    );
  });

  test.each(['1x', '3', '1h 5m', '1d'])('the duration %s is refused', async (duration) => {
    for (const field of ['rotationFrequency', 'rotatedBindingTTL']) {
      const policy = { enabled: true, [field]: duration };
      expect(
        await bindings().create(binding({ serviceInstanceName: 'one', credentialsRotationPolicy: policy })),
      ).toMatchObject(refusal(`spec.credentialsRotationPolicy.${field}`, 'must be a duration'));
    }
  });

  test.each(['1ns', '1h30m', '-1.5h', '+.5s', '10us', '0', ''])(
    'the duration "%s" is accepted',
    async (duration) => {
      const policy = { enabled: true, rotationFrequency: duration, rotatedBindingTTL: duration };
      expect(
        await bindings().create(binding({ serviceInstanceName: 'one', credentialsRotationPolicy: policy })),
      ).toMatchObject({ status: 201 });
    },
  );
});
