import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contract } from '../../../../test/simulators/hana-cloud/contract.ts';
import { parseMappingList } from './mappings-api.ts';

const mapping = { platform: 'kubernetes', primaryID: 'c', secondaryID: 'n', isDefault: true };

describe('parseMappingList', () => {
  test('reads mappings, takes absence for what it means and drops what it does not know', () => {
    const sparse = { platform: 'p', primaryID: 'x', secondaryID: null, more: 1 };
    expect(parseMappingList({ mappings: [mapping, sparse, { ...mapping, secondaryID: '' }] })).toEqual({
      mappings: [
        mapping,
        { platform: 'p', primaryID: 'x', isDefault: false },
        { platform: 'kubernetes', primaryID: 'c', isDefault: true },
      ],
    });
  });

  const differences: readonly [body: string | undefined, difference: string][] = [
    [undefined, 'the body is empty'],
    ['null', 'the body is null, not an object'],
    ['[]', 'the body is an array, not an object'],
    ['{}', 'mappings is missing, not an array'],
    ['{"mappings":{}}', 'mappings is an object, not an array'],
    ['{"mappings":[7]}', 'mappings[0] is a number, not an object'],
    [
      JSON.stringify({ mappings: [mapping, { ...mapping, primaryID: '' }] }),
      'mappings[1].primaryID is empty',
    ],
    [
      JSON.stringify({ mappings: [{ ...mapping, platform: undefined }] }),
      'mappings[0].platform is missing, not a string',
    ],
    [
      JSON.stringify({ mappings: [{ ...mapping, isDefault: 'yes' }] }),
      'mappings[0].isDefault is a string, not a boolean',
    ],
    [
      JSON.stringify({ mappings: [{ ...mapping, secondaryID: 1 }] }),
      'mappings[0].secondaryID is a number, not a string',
    ],
  ];
  test.each(differences)('%s: the first difference is named and no value is quoted', (body, difference) => {
    expect(parseMappingList(body && JSON.parse(body))).toEqual({ difference });
  });

  test('property: it takes exactly what the schema of openapi.yaml takes', async () => {
    const list = contract.find('GET', '/inventory/v2/serviceInstances/i/instanceMappings')?.operation;
    if (list === undefined) throw new Error('the contract has no list');
    const odd = fc.constantFrom<unknown>(null, '', 'x', 0, true, [], {}, undefined);
    const item = fc.record(
      { platform: odd, primaryID: odd, secondaryID: odd, isDefault: odd, more: odd },
      { requiredKeys: [] },
    );
    const plain = fc.record({
      ...Object.fromEntries(Object.entries(mapping).map(([k, v]) => [k, fc.constant(v)])),
    });
    const body = fc.oneof(odd, fc.record({ mappings: fc.oneof(odd, fc.array(fc.oneof(plain, item, odd))) }));
    fc.assert(
      fc.property(body, (value) => {
        const text = JSON.stringify(value) ?? 'null';
        const headers = { 'content-type': 'application/json' };
        const violation = list.checkAnswer({ status: 200, headers, body: text });
        expect('mappings' in parseMappingList(JSON.parse(text))).toBe(violation === undefined);
      }),
      { numRuns: 2000 },
    );
  });
});
