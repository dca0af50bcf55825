/**
 * Renders each chart of a folder with Helm 4, Helm 3 and here, with its defaults and two further values files, and compares; also the
 * objects that Helm and this program read of the same text.
 *
 *     node hack/helm-corpus/main.ts FOLDER [--record FILE] [--only NAME]
 *
 * The exit code is 1 if one differs from Helm 4. Charts are not part of the repository; the record is.
 */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { parse } from 'yaml';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { objectsOf } from '../../internal/systems/reconciler/components/charts/rendering/manifest-objects.ts';
import {
  documentsOf,
  manifestText,
  type RenderedChart,
  renderChart,
} from '../../internal/templates/helm/index.ts';
import type { ChartFile } from '../../internal/templates/helm/render-request.ts';
import { ensureHelm, HELM_VERSIONS } from '../helm/helm.ts';
import { type Comparison, compare, firstDifference, isAlike, type Outcome, runHelm } from './compare.ts';
import { openHelmObjects } from './helm-objects.ts';
import { readFolder } from './read-folder.ts';
import { isTable, type Table } from './tables.ts';
import { variationsOf } from './variations.ts';

/** Only of text that is the same. `refused`: by both. */
type ObjectComparison = 'same' | 'refused' | 'differs';

interface Row {
  readonly chart: string;
  readonly version: string;
  readonly results: Readonly<
    Record<
      string,
      { readonly helm4: Comparison; readonly helm3: Comparison; readonly objects?: ObjectComparison }
    >
  >;
  /** Of the fastest rendering here, in ms. */
  readonly ms: number;
}

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'string' }, only: { type: 'string' } },
});
const [given] = positionals;
if (given === undefined) throw new Error('which folder? node hack/helm-corpus/main.ts FOLDER');
const folder = resolve(given);
const helm4 = await ensureHelm({ major: 4 });
const helm3 = await ensureHelm({ major: 3 });
const scratch = await mkdtemp(join(tmpdir(), 'helm-corpus-'));
const reader = await openHelmObjects(scratch);

type Rendering = Outcome & { readonly rendered?: RenderedChart };

function renderHere(files: readonly ChartFile[], values: Table): Rendering {
  try {
    const request = { files, values, release: { name: 'rel', namespace: 'default' } };
    const rendered = renderChart(request);
    return { output: manifestText(rendered), rendered };
  } catch (error) {
    return { refusal: messageOf(error) };
  }
}

/** The objects of what was rendered here, beside those that Helm reads of the text. */
async function compareObjects(rendered: RenderedChart): Promise<ObjectComparison> {
  const helm = await reader.read(manifestText(rendered));
  try {
    const own = documentsOf(rendered).flatMap(({ source, text }) => objectsOf(text, source));
    if ('error' in helm) return 'differs';
    return isDeepStrictEqual(
      own.map(({ object }) => object),
      helm.objects,
    )
      ? 'same'
      : 'differs';
  } catch {
    return 'error' in helm ? 'refused' : 'differs';
  }
}

async function compareChart(name: string): Promise<Row> {
  const chart = join(folder, name);
  const files = await readFolder(chart);
  const textOf = (path: string) => files.find((file) => file.name === path)?.data ?? new Uint8Array();
  const yamlOf = (path: string): Table => {
    const value: unknown = parse(Buffer.from(textOf(path)).toString(), {
      logLevel: 'silent',
      uniqueKeys: false,
      merge: true,
    });
    return isTable(value) ? value : {};
  };
  const results: [string, Row['results'][string]][] = [];
  let fastest = Infinity;
  for (const { name: variation, values } of variationsOf(yamlOf('values.yaml'))) {
    const file = values === undefined ? undefined : join(scratch, 'values.json');
    if (file !== undefined) await writeFile(file, JSON.stringify(values));
    const start = performance.now();
    const own = renderHere(files, values ?? {});
    fastest = Math.min(fastest, performance.now() - start);
    const compareWith = async (helm: string): Promise<Comparison> => {
      const outcome = await runHelm(helm, chart, file);
      const comparison = await compare(outcome, own, () => runHelm(helm, chart, file));
      if (!isAlike(comparison)) {
        const difference = firstDifference(outcome, own);
        process.stdout.write(
          `${name} (${variation}, ${helm === helm4 ? 'Helm 4' : 'Helm 3'}): ${difference}\n`,
        );
      }
      return comparison;
    };
    const [four, three] = await Promise.all([compareWith(helm4), compareWith(helm3)]);
    const objects =
      four === 'same' && own.rendered !== undefined ? await compareObjects(own.rendered) : undefined;
    if (objects === 'differs') process.stdout.write(`${name} (${variation}): other objects\n`);
    results.push([variation, { helm4: four, helm3: three, ...(objects && { objects }) }]);
  }
  const { version } = yamlOf('Chart.yaml');
  return {
    chart: name,
    version: String(version),
    results: Object.fromEntries(results),
    ms: Math.round(fastest),
  };
}

const rows: Row[] = [];
for (const entry of (await readdir(folder)).sort()) {
  if (flags.only !== undefined && entry !== flags.only) continue;
  rows.push(await compareChart(entry));
}
await reader[Symbol.asyncDispose]();
await rm(scratch, { recursive: true });
const all = rows.flatMap(({ results }) => Object.values(results));
const count = (major: 'helm4' | 'helm3', wanted: Comparison) =>
  all.filter((result) => result[major] === wanted).length;
const countsOf = (major: 'helm4' | 'helm3') => ({
  same: count(major, 'same'),
  blankLines: count(major, 'blank lines'),
  order: count(major, 'order'),
  random: count(major, 'random'),
  refused: count(major, 'refused'),
  differs: count(major, 'differs'),
});
const otherObjects = all.filter(({ objects }) => objects === 'differs').length;
const record = {
  helm: HELM_VERSIONS,
  charts: rows.length,
  renderings: all.length,
  helm4: countsOf('helm4'),
  helm3: countsOf('helm3'),
  objects: {
    same: all.filter(({ objects }) => objects === 'same').length,
    refused: all.filter(({ objects }) => objects === 'refused').length,
    differs: otherObjects,
  },
};
const summary = JSON.stringify(record, null, 1);
if (flags.record !== undefined) await writeFile(flags.record, recordText(summary, rows));
process.stdout.write(`${summary}\n`);
if (record.helm4.differs + otherObjects > 0) process.exitCode = 1;

/** A line for each chart: with each values file what Helm 4, Helm 3 and the objects are like, by commas. */
function recordText(summary: string, rows: readonly Row[]): string {
  const variations = Object.keys(rows[0]?.results ?? {});
  const lines = rows.map(({ chart, version, results, ms }) => {
    const cells = variations.map((name) => Object.values(results[name] ?? {}).join(', '));
    return [chart, version, ...cells, ms].join(' | ');
  });
  const head = ['chart', 'version', ...variations, 'ms'];
  const table = [head.join(' | '), head.map(() => '---').join(' | '), ...lines];
  return `# Charts of others\n\n\`\`\`json\n${summary}\n\`\`\`\n\n${table.map((line) => `| ${line} |\n`).join('')}`;
}
