import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { crdAdmission } from './crd-admission.ts';
import { createMemoryClient } from './memory-client.ts';

const type = { group: 'x.example.org', version: 'v1', kind: 'Disk', plural: 'disks', namespaced: false };
const text = { type: 'string' };
const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', maximum: 9 },
    tier: { ...text, default: 'slow' },
    more: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    tags: { type: 'array', items: { type: 'object', properties: { name: text } } },
  },
};
const openAPIV3Schema = { type: 'object', properties: { metadata: { type: 'object' }, spec } };
const versions = [{ name: 'v1', schema: { openAPIV3Schema } }];
const crd = { spec: { group: type.group, names: { kind: 'Disk' }, versions } };

test('an object gets the defaults of its CRD, loses unknown fields, and is refused if it is invalid', async () => {
  const client = createMemoryClient({ clock: createFakeClock(), admission: crdAdmission([crd]) });
  const disk = (fields: object) => ({
    ...{ apiVersion: 'x.example.org/v1', kind: 'Disk', metadata: { name: 'a', labels: { own: 'kept' } } },
    spec: fields,
  });
  const stored = await client.create(
    type,
    disk({ size: 3, colour: 'red', more: { any: 1 }, tags: [{ name: 'x', other: 1 }] }),
  );
  expect(stored).toMatchObject({ metadata: { labels: { own: 'kept' } } });
  expect(stored).toHaveProperty('spec', { size: 3, tier: 'slow', more: { any: 1 }, tags: [{ name: 'x' }] });
  await expect(client.mergePatch(type, { name: 'a' }, { spec: { size: 10 } })).rejects.toThrow(
    'spec.size: Invalid value: must be at most 9',
  );
  await expect(client.create(type, { ...disk({}), metadata: { name: 'b' } })).rejects.toThrow(
    'spec.size: Required',
  );
  const other = { ...type, kind: 'Note', plural: 'notes' };
  const note = { ...disk({ colour: 'red' }), kind: 'Note' };
  expect(await client.create(other, note)).toHaveProperty('spec', { colour: 'red' });
});
