/** Renders the charts of internal/templates/helm/goldens with Helm, and writes what it makes of them beside them, with the objects that it reads of that: `npm run helm-goldens`. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readGoldenCharts } from '../../internal/templates/helm/goldens/golden-chart.fixture.ts';
import { ensureHelm, HELM_VERSIONS } from '../helm/helm.ts';
import { runHelm } from './compare.ts';
import { openHelmObjects } from './helm-objects.ts';

const FOLDER = join(import.meta.dirname, '../../internal/templates/helm/goldens');
const helm = await ensureHelm({ major: 4 });
const folderOfReader = await mkdtemp(join(tmpdir(), 'helm-objects-'));
const reader = await openHelmObjects(folderOfReader);
for (const { name, sha256, files, values } of readGoldenCharts(FOLDER)) {
  const scratch = await mkdtemp(join(tmpdir(), 'helm-golden-'));
  const chart = join(scratch, 'chart');
  for (const { name: path, data } of files) {
    await mkdir(dirname(join(chart, path)), { recursive: true });
    await writeFile(join(chart, path), data);
  }
  const valuesFile = join(scratch, 'values.json');
  await writeFile(valuesFile, JSON.stringify(values));
  const outcome = await runHelm(helm, chart, valuesFile, 'ns');
  await rm(scratch, { recursive: true });
  const parsed = 'output' in outcome ? await reader.read(outcome.output) : undefined;
  const objects = parsed !== undefined && 'objects' in parsed ? parsed.objects : undefined;
  const result = { sha256, helm: HELM_VERSIONS[4], ...outcome, objects };
  await writeFile(join(FOLDER, `${name}.result.json`), `${JSON.stringify(result, null, 2)}\n`);
}
await reader[Symbol.asyncDispose]();
await rm(folderOfReader, { recursive: true });
