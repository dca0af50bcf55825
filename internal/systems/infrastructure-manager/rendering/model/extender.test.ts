import { expect, test } from '@jest/globals';
import { rawDocument } from './extender.ts';

test('keys are sorted at every level, and members without value left out', () => {
  const document = { b: [{ d: 1, c: null }], a: undefined, B: { z: '', y: [] } };
  expect(JSON.stringify(rawDocument(document))).toBe('{"B":{"y":[],"z":""},"b":[{"c":null,"d":1}]}');
});
