/** The archive of the chart that a release publishes, as Helm reads it. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { packageChart } from '../../../../hack/release/chart.ts';
import { BTP_CHART, type Helm, noHelmBecause, openHelm } from '../../../environment/helm.ts';

const reason = await noHelmBecause();
const values: object = parse(await readFile(join(import.meta.dirname, 'values/default.yaml'), 'utf8'));
const TAG = 'v9.8.7-rc.1';

if (reason !== undefined) {
  test.todo(`the archive of the chart cannot be read here: ${reason}`);
} else {
  let folder: string;
  let archive: string;
  let published: Helm;
  let source: Helm;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chart-'));
    const { file, bytes } = await packageChart(BTP_CHART, { tag: TAG, version: TAG.slice(1) });
    archive = join(folder, file);
    await writeFile(archive, bytes);
    [published, source] = await Promise.all([openHelm({ chart: archive }), openHelm()]);
  });
  afterAll(async () => {
    await Promise.all([published?.close(), source?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  test('has the version of the release, and the name that helm package gives it', async () => {
    const chart = parse(await published.run(['show', 'chart', archive]));
    expect(chart).toEqual({
      ...parse(await readFile(join(BTP_CHART, 'Chart.yaml'), 'utf8')),
      version: '9.8.7-rc.1',
      appVersion: TAG,
    });
    const other = join(folder, 'helm');
    await source.run(['package', BTP_CHART, '--destination', other, '--version', chart.version]);
    expect(await readdir(other)).toEqual([basename(archive)]);
  });

  test('is rendered as the folder is, but for the tag of the image', async () => {
    const { appVersion } = parse(await readFile(join(BTP_CHART, 'Chart.yaml'), 'utf8'));
    const expected = JSON.stringify(await source.render(values)).replaceAll(`:${appVersion}"`, `:${TAG}"`);
    expect(JSON.parse(expected)).not.toEqual(await source.render(values));
    expect(await published.render(values)).toEqual(JSON.parse(expected));
  });

  test('refuses the values that the folder refuses', async () => {
    await expect(published.render({ manager: { replica_count: 'two' } })).rejects.toThrow(
      "at '/manager/replica_count': got string, want integer",
    );
  });
}
