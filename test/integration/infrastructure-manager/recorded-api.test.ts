import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { RECORDED, recordApi } from '../../../hack/control-planes/gardener/record-api/recorded-api.ts';
import { sharedGarden } from '../harness/gardener/garden.ts';

test('the recorded document is what the pinned gardener-apiserver serves; otherwise: make record-gardener-api', async () => {
  expect(await recordApi(await sharedGarden())).toBe(await readFile(RECORDED, 'utf8'));
});
