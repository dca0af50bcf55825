/**
 * Records the OpenAPI document of Gardener's API that types and the CRD of Runtime are generated from, as the real
 * gardener-apiserver serves it, cut down to the kinds in use. `make generate` then writes what follows from it.
 */
import { writeFile } from 'node:fs/promises';
import { messageOf } from '../../../../internal/framework/base/errors/errors.ts';
import { startGarden } from '../garden.ts';
import { RECORDED, recordApi } from './recorded-api.ts';

try {
  const garden = await startGarden({ name: 'garden', report: (line) => console.error(`garden: ${line}`) });
  try {
    await writeFile(RECORDED, await recordApi(garden));
    console.log(RECORDED);
  } finally {
    await garden.stop();
  }
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
