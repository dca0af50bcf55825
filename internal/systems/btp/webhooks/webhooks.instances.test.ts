import { describe, expect, test } from '@jest/globals';
import type { ServiceInstance } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { instance, otherUser, type ReviewParts, review, user } from './webhooks.fixture.ts';
import { serviceInstanceWebhooks } from './webhooks.ts';

const [mutate, validate] = serviceInstanceWebhooks;

test('the paths are those of the operator', () => {
  expect([mutate?.path, validate?.path]).toEqual([
    '/mutate-services-cloud-sap-com-v1-serviceinstance',
    '/validate-services-cloud-sap-com-v1-serviceinstance',
  ]);
});

describe('a mutated instance', () => {
  const specAfter = async (parts: ReviewParts) => {
    const result = await review<ServiceInstance>(mutate, parts);
    return 'object' in result ? result.object.spec : result;
  };
  const old = instance({ externalName: 'one', userInfo: user });
  const update = (spec: Partial<ServiceInstance['spec']>) =>
    specAfter({
      operation: 'UPDATE',
      oldObject: old,
      object: instance({ externalName: 'one', ...spec }),
      userInfo: otherUser,
    });

  test('[B162] gets the requesting user and an external name when it is created', async () => {
    const object = instance({ userInfo: otherUser });
    expect(await specAfter({ operation: 'CREATE', object })).toEqual({
      ...object.spec,
      externalName: 'one',
      userInfo: user,
    });
    const named = instance({ externalName: 'name' });
    expect(await specAfter({ operation: 'CREATE', object: named })).toMatchObject({ externalName: 'name' });
  });

  test('[B162] gets the requesting user when its spec changes, also if the user is absent', async () => {
    expect(await update({ servicePlanName: 'other' })).toMatchObject({ userInfo: otherUser });
    expect(await update({ servicePlanName: 'other', userInfo: user })).toMatchObject({ userInfo: otherUser });
    expect(await update({ servicePlanName: 'other', externalName: '' })).toMatchObject({
      userInfo: otherUser,
      externalName: 'one',
    });
  });

  test('keeps its user while its spec is the same', async () => {
    expect(await update({ userInfo: user })).toMatchObject({ userInfo: user });
    expect(await update({})).toMatchObject({ userInfo: user });
  });

  test('[B27] [B162] cannot be given another user', async () => {
    const refused = { refused: '400: modifying spec.userInfo is not allowed' };
    expect(await update({ userInfo: otherUser })).toEqual(refused);
    const withoutUser = { operation: 'UPDATE', oldObject: instance(), object: old } as const;
    expect(await specAfter(withoutUser)).toEqual(refused);
  });

  test('[B161] is refused if it cannot be decoded', async () => {
    const object = { ...instance(), spec: 'text' };
    expect(await review(mutate, { operation: 'CREATE', object })).toEqual({
      refused: '400: cannot decode the object: spec is not an object',
    });
  });
});

describe('an instance', () => {
  const remove = (value?: string) => {
    const annotations = value === undefined ? {} : { 'services.cloud.sap.com/preventDeletion': value };
    return review(validate, { operation: 'DELETE', oldObject: instance({}, annotations) });
  };

  test('[B31] [B160] that must not be deleted is not deleted', async () => {
    const refused = { refused: `403: service instance 'one' is marked with "prevent deletion"` };
    expect(await remove('true')).toEqual(refused);
    expect(await remove('TRUE')).toEqual(refused);
    expect(await remove('not-true')).toMatchObject({ patched: false });
    expect(await remove()).toMatchObject({ patched: false });
  });

  test('is created and updated without conditions', async () => {
    const object = instance({}, { 'services.cloud.sap.com/preventDeletion': 'true' });
    expect(await review(validate, { operation: 'CREATE', object })).toMatchObject({ patched: false });
    const parts = { operation: 'UPDATE', object, oldObject: object } as const;
    expect(await review(validate, parts)).toMatchObject({ patched: false });
  });
});
