/**
 * Records the OpenAPI document of Gardener's API that types and the CRD of Runtime are generated from, as the real
 * gardener-apiserver serves it, cut down to the kinds in use. `make generate` then writes what follows from it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { messageOf } from '../../../../internal/base/errors/errors.ts';
import { sleep, systemClock } from '../../../../internal/base/time/clock.ts';
import { GARDENER_VERSION } from '../binary.ts';
import { startGarden } from '../garden.ts';
import { pruneDocument } from './prune-document.ts';

const OUTPUT = join(import.meta.dirname, '../../../../apis/gardener/core.openapi.yaml');

/** Subresources are part of the document of their kind's group version. */
const PATH = '/openapi/v3/apis/core.gardener.cloud/v1beta1';

const KINDS = ['Shoot', 'Seed', 'AdminKubeconfigRequest'];

const HEADER = `# Recorded from gardener-apiserver ${GARDENER_VERSION} by \`make record-gardener-api\`: ${KINDS.join(', ')}, and what they refer to.
# Names are without the path of their Go package, descriptions are cut after the first sentence; defaults and ObjectMeta
# are left out (the document states the zero values of Go for defaults, not those that Gardener sets).
`;

try {
  const garden = await startGarden({ name: 'garden', report: (line) => console.error(`garden: ${line}`) });
  try {
    const document = pruneDocument(await served(garden), KINDS);
    await writeFile(OUTPUT, HEADER + stringify(document, { lineWidth: 120, aliasDuplicateObjects: false }));
    console.log(OUTPUT);
  } finally {
    await garden.stop();
  }
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}

/** The aggregator takes over documents a while after the kinds are served. */
async function served({
  request,
}: Pick<Awaited<ReturnType<typeof startGarden>>, 'request'>): Promise<unknown> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { status, body } = await request(PATH);
    if (status === 200) return body;
    await sleep(systemClock, 100);
  }
  throw new Error(`cannot record the API: ${PATH} is not served`);
}
