import { beforeEach, describe, expect, test } from '@jest/globals';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { objectOfEachTest, testedKinds } from '../fixtures/tested-kinds.fixture.ts';

describe.each(testedKinds)('a $kind without credentials', ({ start }) => {
  const { h } = objectOfEachTest(start);
  beforeEach(async () => {
    h.credentialsError = new Error('cannot find credentials');
    await h.create();
    // Until the backoff is as long as it can be.
    await h.wait(600_000);
    expect(h.condition('Succeeded')).toBe('False Failed cannot find credentials');
    h.credentialsError = undefined;
  });

  const putSecret = async (namespace: string, name: string) => {
    await h.client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name } });
    await h.wait(100);
  };

  test.each([
    { namespace: 'shop', name: 'sap-btp-service-operator' },
    { namespace: 'btp', name: 'shop-sap-btp-service-operator' },
    { namespace: 'btp', name: 'sap-btp-service-operator' },
    { namespace: 'btp', name: 'sap-btp-service-operator-tls' },
  ])(
    'is tried at once when a Secret comes that it may use: $namespace/$name',
    async ({ namespace, name }) => {
      await putSecret(namespace, name);
      expect(h.condition('Succeeded')).toMatch(/^True Created/);
    },
  );

  test.each([
    { namespace: 'office', name: 'sap-btp-service-operator' },
    { namespace: 'btp', name: 'office-sap-btp-service-operator' },
    { namespace: 'shop', name: 'other' },
  ])('is not tried for another Secret: $namespace/$name', async ({ namespace, name }) => {
    await putSecret(namespace, name);
    expect(h.condition('Succeeded')).toMatch(/^False Failed/);
  });
});
