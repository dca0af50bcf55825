import { describe, expect, test } from '@jest/globals';
import type {
  ServiceBinding,
  ServiceBindingSpec,
} from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import type { Condition } from '../../../framework/kube/index.ts';
import { binding, otherUser, review, user } from './webhooks.fixture.ts';
import { serviceBindingWebhooks } from './webhooks.ts';

const operator = { username: 'system:serviceaccount:sap-btp-operator:provider-kyma' };
const parseTemplate = async (template: string) => {
  if (template.includes('{{ bad'))
    throw new ProviderError('terminal', 'the Secret template is invalid: unclosed action');
};
const [mutate, validate] = serviceBindingWebhooks({ parseTemplate, ownUser: async () => operator.username });
const stale = 'services.cloud.sap.com/stale';
const rotationOf = 'services.cloud.sap.com/rotationOf';
const original = 'services.cloud.sap.com/original-binding-name';

test('the paths are those of the operator', () => {
  expect([mutate?.path, validate?.path]).toEqual([
    '/mutate-services-cloud-sap-com-v1-servicebinding',
    '/validate-services-cloud-sap-com-v1-servicebinding',
  ]);
});

describe('a mutated binding', () => {
  test('[B161] gets names, the requesting user and the defaults of its rotation when it is created', async () => {
    const object = binding({ userInfo: otherUser, credentialsRotationPolicy: { enabled: true } });
    expect(await review<ServiceBinding>(mutate, { operation: 'CREATE', object })).toMatchObject({
      object: {
        spec: {
          externalName: 'bound',
          secretName: 'bound',
          userInfo: user,
          credentialsRotationPolicy: { rotationFrequency: '72h', rotatedBindingTTL: '48h' },
        },
      },
    });
  });

  test('[B161] is unchanged if nothing is missing', async () => {
    const named = binding({ externalName: 'a', secretName: 'b' });
    expect(await review(mutate, { operation: 'UPDATE', object: named, oldObject: named })).toMatchObject({
      object: named,
      patched: false,
    });
  });

  test('keeps its user if an update has none', async () => {
    const oldObject = binding({ userInfo: user });
    expect(
      await review<ServiceBinding>(mutate, { operation: 'UPDATE', object: binding(), oldObject }),
    ).toMatchObject({ object: { spec: { userInfo: user } } });
  });

  test('[B161] is refused if it cannot be decoded', async () => {
    expect(await review(mutate, { operation: 'CREATE', object: { ...binding(), spec: [] } })).toEqual({
      refused: '400: cannot decode the object: spec is not an object',
    });
  });
});

const spec: Partial<ServiceBindingSpec> = {
  externalName: 'name',
  secretName: 'secret',
  secretKey: 'key',
  secretRootKey: 'root',
  parameters: { a: { b: 1 } },
  parametersFrom: [{ secretKeyRef: { name: 'secret', key: 'key' } }],
  userInfo: user,
};
const policy = { enabled: true, rotationFrequency: '60s', rotatedBindingTTL: '1s' };
const allowed = { patched: false };

/** Changes of the spec that Service Manager knows; undefined removes a field. */
const changes: Record<string, object> = {
  'the instance': { serviceInstanceName: 'other' },
  'the external name': { externalName: 'other' },
  'the name of the Secret': { secretName: 'other' },
  secretKey: { secretKey: 'other' },
  'no secretKey': { secretKey: undefined },
  secretRootKey: { secretRootKey: 'other' },
  parameters: { parameters: { a: { b: 2 } } },
  'the key of a parameter': { parameters: { a: { c: 1 } } },
  'the name in parametersFrom': { parametersFrom: [{ secretKeyRef: { name: 'other', key: 'key' } }] },
  'the key in parametersFrom': { parametersFrom: [{ secretKeyRef: { name: 'secret', key: 'other' } }] },
  'no parametersFrom': { parametersFrom: undefined },
};
const condition = (stated: Pick<Condition, 'type' | 'status' | 'reason'>): Condition => ({
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...stated,
});
const changed = (change: object) => JSON.parse(JSON.stringify({ ...spec, ...change }));

describe('a new binding', () => {
  test('[B155] is accepted, also with a template of sprig', async () => {
    for (const object of [binding(), binding({ secretTemplate: '{{ .x | upper }}' })]) {
      expect(await review(validate, { operation: 'CREATE', object })).toMatchObject(allowed);
    }
  });

  test('[B157] needs valid durations, of which rotatedBindingTTL is checked first', async () => {
    const create = (credentialsRotationPolicy: typeof policy) =>
      review(validate, { operation: 'CREATE', object: binding({ credentialsRotationPolicy }) });
    expect(await create(policy)).toMatchObject(allowed);
    expect(await create({ ...policy, rotationFrequency: '1x', rotatedBindingTTL: '2x' })).toEqual({
      refused:
        '403: spec.credentialsRotationPolicy.rotatedBindingTTL: "2x" is not a duration such as 72h or 30m',
    });
    expect(await create({ ...policy, rotationFrequency: '1x' })).toMatchObject({
      refused: expect.stringContaining('rotationFrequency: "1x" is not a duration'),
    });
  });
});

describe('a binding without an ID', () => {
  const update = (object: ServiceBinding) =>
    review(validate, { operation: 'UPDATE', object, oldObject: binding(spec) });

  test.each(Object.entries(changes))('[B156] accepts a change of %s', async (_, change) => {
    expect(await update(binding(changed(change)))).toMatchObject(allowed);
  });

  test('[B108] [B156] accepts a template, metadata and the absence of its user, but no other user', async () => {
    expect(await update(binding({ ...spec, secretTemplate: 'x' }))).toMatchObject(allowed);
    expect(await update(binding(spec, { labels: { a: 'b' }, bindingID: 'id' }))).toMatchObject(allowed);
    expect(await update(binding(changed({ userInfo: undefined })))).toMatchObject(allowed);
    expect(await update(binding({ ...spec, userInfo: otherUser }))).toEqual({
      refused: '403: modifying spec.userInfo is not allowed',
    });
  });
});

test('a binding whose rotation has removed the ID keeps its Secret, and can be corrected in all that prevents a create', async () => {
  const conditions = [condition({ type: 'CredRotationInProgress', status: 'True', reason: 'Rotating' })];
  const more = { bindingID: '', status: { conditions, secretVersion: 'uid/1', ready: 'False' as const } };
  const update = (change: object) =>
    review(validate, {
      operation: 'UPDATE',
      object: binding(changed(change), more),
      oldObject: binding(spec, more),
    });
  expect(await update({ secretName: 'other' })).toEqual({
    refused: '403: updating service bindings is not supported',
  });
  for (const change of [{ externalName: 'other' }, { parameters: {} }, { secretKey: undefined }])
    expect(await update(change)).toMatchObject(allowed);
});

describe.each([
  { which: 'a bound binding', marks: { bindingID: 'id' } },
  { which: 'a replaced binding', marks: { labels: { [stale]: 'id', [rotationOf]: 'bound' } } },
])('$which', ({ marks }) => {
  const oldObject = binding(spec, marks);
  const update = (object: ServiceBinding) => review(validate, { operation: 'UPDATE', object, oldObject });

  test.each(Object.entries(changes))(
    '[B101-B104] [B157] [B158] refuses a change of %s',
    async (_, change) => {
      expect(await update(binding(changed(change), marks))).toEqual({
        refused: '403: updating service bindings is not supported',
      });
    },
  );

  test('[B158] accepts a template and metadata', async () => {
    const annotations = { a: 'b' };
    expect(await update(binding({ ...spec, secretTemplate: 'x' }, { ...marks, annotations }))).toMatchObject(
      allowed,
    );
  });

  test('[B158] accepts no invalid duration', async () => {
    const credentialsRotationPolicy = { ...policy, enabled: false, rotationFrequency: '1x' };
    expect(await update(binding({ ...spec, credentialsRotationPolicy }, marks))).toMatchObject({
      refused: expect.stringContaining('rotationFrequency'),
    });
  });
});

describe('the marks of a replaced binding', () => {
  const labels = { [stale]: 'id', [rotationOf]: 'bound' };
  const annotations = { [original]: 'bound' };
  const oldObject = binding(spec, { labels, annotations });
  const update = (object: ServiceBinding) => review(validate, { operation: 'UPDATE', object, oldObject });
  const refused = { refused: '403: modifying rotation labels is not allowed' };

  test.each([
    { change: 'another ID', marks: { labels: { ...labels, [stale]: 'other' }, annotations } },
    { change: 'no ID', marks: { labels: { [rotationOf]: 'bound' }, annotations } },
    { change: 'another origin', marks: { labels: { ...labels, [rotationOf]: 'other' }, annotations } },
    { change: 'no origin', marks: { labels: { [stale]: 'id' }, annotations } },
    { change: 'no full name of the origin', marks: { labels } },
  ])('do not change to $change', async ({ marks }) => {
    expect(await update(binding(spec, marks))).toEqual(refused);
  });

  test('prevent a rotation', async () => {
    expect(
      await update(binding({ ...spec, credentialsRotationPolicy: policy }, { labels, annotations })),
    ).toEqual({ refused: '403: enabling cred rotation for rotated binding is not allowed' });
  });
});

describe('the label with the ID of a replaced binding', () => {
  const object = binding(spec, { labels: { [stale]: 'id' } });
  const refused = {
    refused: '403: the label services.cloud.sap.com/stale is set by the rotation of credentials only',
  };

  test('is refused from users, when an object is created and later', async () => {
    expect(await review(validate, { operation: 'CREATE', object })).toEqual(refused);
    const oldObject = binding(spec);
    expect(await review(validate, { operation: 'UPDATE', object, oldObject })).toEqual(refused);
  });

  test('is accepted from the rotation, and from anyone if the own name is unknown', async () => {
    const created = { operation: 'CREATE', object } as const;
    expect(await review(validate, { ...created, userInfo: operator })).toMatchObject(allowed);
    const [, unsure] = serviceBindingWebhooks({ parseTemplate, ownUser: async () => undefined });
    expect(await review(unsure, created)).toMatchObject(allowed);
  });
});

test('[B159] a deletion is always allowed', async () => {
  expect(await review(validate, { operation: 'DELETE', oldObject: binding(spec) })).toMatchObject(allowed);
});

describe('a frequency of rotation below a minute', () => {
  const policy = (rotationFrequency: string, enabled = true) => ({
    credentialsRotationPolicy: { enabled, rotationFrequency },
  });
  const refused =
    '403: spec.credentialsRotationPolicy.rotationFrequency: "59s" is less than 1m: programs would not read credentials before they are replaced';

  test('is refused, on a new binding and on one that exists', async () => {
    const object = binding(policy('59s'));
    expect(await review(validate, { operation: 'CREATE', object })).toEqual({ refused });
    const oldObject = binding(policy('72h'));
    expect(await review(validate, { operation: 'UPDATE', object, oldObject })).toEqual({ refused });
  });

  test('stops no other edit of a binding that has it, and is without effect while rotation is off', async () => {
    const oldObject = binding(policy('1ns'), { bindingID: 'b-1' });
    const object = binding({ ...policy('1ns'), secretTemplate: 'x: y' }, { bindingID: 'b-1' });
    for (const each of [object, binding(policy('1m')), binding(policy('1ns', false))])
      expect(await review(validate, { operation: 'UPDATE', object: each, oldObject })).toMatchObject({
        object: each,
      });
  });
});

describe('a template that does not parse', () => {
  const refused = '403: spec.secretTemplate: the Secret template is invalid: unclosed action';

  test('is refused before anything is created, and as an edit', async () => {
    const object = binding({ secretTemplate: '{{ bad' });
    expect(await review(validate, { operation: 'CREATE', object })).toEqual({ refused });
    expect(await review(validate, { operation: 'UPDATE', object, oldObject: binding() })).toEqual({
      refused,
    });
  });

  test('that is stored stops neither other edits nor a rotation', async () => {
    const bad = { secretTemplate: '{{ bad' };
    const object = binding({ ...bad, externalName: 'other' });
    expect(await review(validate, { operation: 'UPDATE', object, oldObject: binding(bad) })).toMatchObject({
      object,
    });
    const replaced = binding(bad, { labels: { [stale]: 'b-1' } });
    const userInfo = operator;
    expect(await review(validate, { operation: 'CREATE', object: replaced, userInfo })).toMatchObject({
      object: replaced,
    });
  });
});

describe('the names in the Secret', () => {
  test.each([
    { secretName: 'Orders_Secret' },
    { secretName: 'a/b' },
    { secretKey: 'my key' },
    { secretKey: '' },
    { secretRootKey: 'a/b' },
    { secretRootKey: 'url:public', secretKey: 'fine' },
  ])('are refused before anything is bound, if there can be none: %j', async (names) => {
    const [field = ''] = Object.keys(names);
    const refused = {
      refused: expect.stringMatching(new RegExp(`^403: spec.${field}: ".*" (cannot be|is not)`)),
    };
    const object = binding(names);
    expect(await review(validate, { operation: 'CREATE', object })).toEqual(refused);
    expect(await review(validate, { operation: 'UPDATE', object, oldObject: binding() })).toEqual(refused);
    // What is stored does not stop other edits.
    const edited = binding({ ...names, secretTemplate: 'x' });
    expect(await review(validate, { operation: 'UPDATE', object: edited, oldObject: object })).toMatchObject(
      allowed,
    );
  });

  test('below a root key may be any', async () => {
    const object = binding({ secretRootKey: 'root', secretKey: 'my key' });
    expect(await review(validate, { operation: 'CREATE', object })).toMatchObject(allowed);
  });
});

test('names that an update defaults are no change of a bound binding that was created while there was no webhook', async () => {
  const more = { bindingID: 'id', annotations: { note: 'edited' } };
  const oldObject = binding({}, { bindingID: 'id' });
  const mutated = await review<ServiceBinding>(mutate, {
    operation: 'UPDATE',
    object: binding({}, more),
    oldObject,
  });
  const object = 'object' in mutated ? mutated.object : binding();
  expect(object.spec).toMatchObject({ externalName: 'bound', secretName: 'bound' });
  expect(await review(validate, { operation: 'UPDATE', object, oldObject })).toMatchObject(allowed);
  const renamed = binding({ secretName: 'other', externalName: 'bound' }, more);
  expect(await review(validate, { operation: 'UPDATE', object: renamed, oldObject })).toEqual({
    refused: '403: updating service bindings is not supported',
  });
});

describe('a bound binding that was never ready', () => {
  const marks = { bindingID: 'id', status: { ready: 'False' as const } };
  const update = (change: object, more: typeof marks = marks) =>
    review(validate, {
      operation: 'UPDATE',
      object: binding(changed(change), more),
      oldObject: binding(spec, more),
    });
  const ofSecret = ['the name of the Secret', 'secretKey', 'no secretKey', 'secretRootKey'];

  test.each(Object.entries(changes))(
    'accepts a change of %s only if it corrects the Secret',
    async (what, change) => {
      const expected = ofSecret.includes(what)
        ? allowed
        : { refused: '403: updating service bindings is not supported' };
      expect(await update(change)).toMatchObject(expected);
    },
  );

  test.each([
    { title: 'that was ready', status: { secretVersion: 'uid/1' } },
    {
      title: 'that is gone in Service Manager',
      status: { conditions: [condition({ type: 'Ready', status: 'False', reason: 'NotFound' })] },
    },
    {
      title: 'whose credentials are rotated',
      status: {
        conditions: [condition({ type: 'CredRotationInProgress', status: 'True', reason: 'Rotating' })],
      },
    },
  ])('is none $title', async ({ status }) => {
    const more = { ...marks, status: { ...marks.status, ...status } };
    expect(await update({ secretKey: 'other' }, more)).toMatchObject({ refused: expect.any(String) });
  });
});
