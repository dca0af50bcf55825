import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../object/object.ts';
import { problemsIn, withDefaults } from '../object/structural-schema.ts';
import { applied } from './applied.ts';
import { ownedFields } from './owned-fields.ts';
import { changedFields, mergePatch } from './patches.ts';

/** Names of fields that every object has by its prototype, as untrusted names. */
describe.each(['constructor', 'toString', '__proto__'])(
  'a field called %s is a field as any other',
  (name) => {
    const json = (value: unknown): Record<string, unknown> =>
      JSON.parse(`{"${name}": ${JSON.stringify(value)}}`);
    const schema = { type: 'object', properties: { known: { type: 'string', default: 'x' } } };

    test('in a merge patch', () => {
      expect(JSON.stringify(mergePatch({ a: 1 }, json({ b: 2 })))).toBe(`{"a":1,"${name}":{"b":2}}`);
      expect(JSON.stringify(mergePatch(json(1), { [name]: null }))).toBe('{}');
      expect(Object.getPrototypeOf(mergePatch({}, json({ b: 2 })))).toBe(Object.prototype);
    });

    test('in what changed', () => {
      expect(JSON.stringify(changedFields({}, json('b')))).toBe(`{"${name}":"b"}`);
    });

    test('in a schema, which does not know it', () => {
      expect(JSON.stringify(withDefaults(schema, json(1)))).toBe(`{"${name}":1,"known":"x"}`);
      expect(problemsIn(schema, json(1))).toEqual([`unknown field "${name}"`]);
      expect(problemsIn({ type: 'object', required: [name] }, {})).toEqual([`${name}: Required value`]);
    });

    test('in what a manager owns', () => {
      const metadata = {
        name: 'x',
        managedFields: [{ manager: 'us', operation: 'Apply', fieldsV1: json({}) }],
      };
      const fieldsV1 = JSON.parse(`{"f:${name}": {}}`);
      const [entry] = metadata.managedFields;
      const object = {
        apiVersion: 'v1',
        kind: 'X',
        metadata: { ...metadata, managedFields: [{ ...entry, fieldsV1 }] },
      };
      expect(ownedFields(object as KubeObject, 'us')).toEqual({});
    });

    test('in what kubectl applied last', () => {
      const last = JSON.stringify({ spec: json(1) });
      const live = {
        apiVersion: 'v1',
        kind: 'X',
        metadata: { name: 'x', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': last } },
        spec: json(1),
      };
      const manifest = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec: {} };
      expect(applied(manifest as KubeObject, live as KubeObject)).toMatchObject({ spec: {} });
      expect(JSON.stringify(applied(manifest as KubeObject, live as KubeObject))).toContain('"spec":{}');
    });
  },
);
