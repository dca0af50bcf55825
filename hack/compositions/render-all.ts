import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import {
  type CompositionExample,
  compositionExamples,
  digestLine,
  inputsDigest,
  inputsOf,
  readObjects,
  renderedPath,
  type Stage,
  stageText,
} from '../../test/compositions/stages.ts';
import type { Tools } from './tools.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Renders every stage of every example and returns the paths of the records that differ. */
export async function renderAll(tools: Tools, { write }: { readonly write: boolean }): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'kyma-render-'));
  const functions = await tools.start(await readObjects('examples/composition/functions.yaml'));
  const differing: string[] = [];
  try {
    const functionsFile = join(directory, 'functions.yaml');
    await writeFile(functionsFile, yamlOf(functions.manifests));
    for (const example of compositionExamples) {
      for (const stage of example.stages) {
        const rendered = await render(tools, example, stage, directory);
        if (rendered === undefined) continue;
        const path = renderedPath(example.name, stage);
        if (rendered === (await readFile(join(ROOT, path), 'utf8').catch(() => ''))) continue;
        differing.push(path);
        if (!write) continue;
        await mkdir(dirname(join(ROOT, path)), { recursive: true });
        await writeFile(join(ROOT, path), rendered);
      }
    }
  } finally {
    await functions.stop();
    await rm(directory, { recursive: true, force: true });
  }
  return differing;
}

/** Undefined where nothing was observed yet: that needs the first render and a run of the provider. */
async function render(
  tools: Tools,
  example: CompositionExample,
  stage: Stage,
  directory: string,
): Promise<string | undefined> {
  const inputs = inputsOf(example, stage);
  const digest = await inputsDigest(example, stage).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (digest === undefined) return undefined;
  const at = (path: string) => join(ROOT, path);
  const observed = join(directory, 'observed.yaml');
  if (inputs.observed !== undefined) await writeFile(observed, yamlOf(await readObjects(inputs.observed)));
  const output = await tools.render([
    at(inputs.composite),
    at(inputs.composition),
    join(directory, 'functions.yaml'),
    `--xrd=${at(inputs.definition)}`,
    `--required-resources=${at(inputs.environment)}`,
    '--include-full-xr',
    ...(inputs.observed === undefined ? [] : [`--observed-resources=${observed}`]),
  ]);
  const objects = parseAllDocuments(output).map((document): KubeObject => document.toJS());
  return digestLine(digest) + (await stageText(example, stage, 'rendered', objects));
}

const yamlOf = (objects: readonly object[]): string =>
  objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
