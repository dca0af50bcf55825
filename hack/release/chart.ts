import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { gzip } from '../xpkg/images/gzip.ts';
import { writeTar } from '../xpkg/images/tar-archive.ts';
import type { ReleaseVersion } from './release-version.ts';

/** What Helm reads of a chart. Other files of the folder, an editor's for example, are not published. */
const CONTENT = '{values.yaml,values.schema.json,templates/**/*.*,files/**/*.*}';

export interface ChartArchive {
  /** As `helm package` names it: `sap-btp-operator-1.2.3.tgz`. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

/**
 * The chart of a folder with the version of the release, which is also the default tag of its image. `helm package` has
 * the time in its archives; these bytes depend on the content alone.
 */
export async function packageChart(folder: string, { tag, version }: ReleaseVersion): Promise<ChartArchive> {
  const chart = parseDocument(await readFile(join(folder, 'Chart.yaml'), 'utf8'));
  chart.set('version', version);
  chart.set('appVersion', tag);
  const name = String(chart.get('name'));
  const members = [{ name: `${name}/Chart.yaml`, bytes: Buffer.from(chart.toString({ lineWidth: 0 })) }];
  const paths: string[] = [];
  for await (const path of glob(CONTENT, { cwd: folder })) paths.push(path);
  for (const path of paths.sort())
    members.push({ name: `${name}/${path}`, bytes: await readFile(join(folder, path)) });
  return { file: `${name}-${version}.tgz`, bytes: gzip(await writeTar(members)) };
}
