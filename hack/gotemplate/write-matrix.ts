/**
 * Records what Go makes of each function with values of each type, for both dialects: `npm run matrix`. It needs Go; the modules are
 * pinned beside this file and in `helm`.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { casesOf, isStable, resultsOf } from '../../internal/templates/gotemplate/goldens/matrix.fixture.ts';
import { SPRIG_FUNCTIONS } from '../../internal/templates/gotemplate/index.ts';
import { HELM_FUNCTIONS } from '../../internal/templates/helm/engine/functions.ts';

type Result = { readonly output: string } | { readonly error: string };
const GOLDENS = join(import.meta.dirname, '../../internal');
const scratch = await mkdtemp(join(tmpdir(), 'matrix-'));
const stable = (functions: object): string[] => Object.keys(functions).filter(isStable).sort();
const build = async (folder: string, file: string) => {
  await promisify(execFile)('go', ['build', '-o', join(scratch, file), '.'], {
    cwd: join(import.meta.dirname, folder),
  });
  return join(scratch, file);
};

async function write(
  path: string,
  names: readonly string[],
  results: ReadonlyMap<string, Result>,
): Promise<void> {
  const run = (template: string): Result => {
    const result = results.get(template);
    if (result === undefined) throw new Error(`there is no result of ${template}`);
    return result;
  };
  const matrix = Object.fromEntries(names.map((name) => [name, resultsOf(name, run)]));
  await writeFile(join(GOLDENS, path), `${JSON.stringify(matrix, null, 2)}\n`);
}

/** The functions of sprout, by the program that executes golden cases. */
async function recordSprout(): Promise<void> {
  const names = stable(SPRIG_FUNCTIONS);
  const templates = names.flatMap((name) => casesOf(name).map(({ template }) => template));
  const cases = templates.map((template, index) => `## ${index}\n#template ${JSON.stringify(template)}\n`);
  const file = join(scratch, 'matrix.cases');
  await writeFile(file, cases.join('\n'));
  const program = process.env.GOTEMPLATE ?? (await build('.', 'sprout'));
  await promisify(execFile)(program, [file], { env: { ...process.env, TZ: 'UTC' } });
  const { results } = JSON.parse(await readFile(file.replace('.cases', '.results.json'), 'utf8'));
  await write(
    'templates/gotemplate/goldens/matrix.json',
    names,
    new Map(templates.map((template, index) => [template, results[index]])),
  );
}

/** The functions of Helm, by its engine. */
async function recordHelm(): Promise<void> {
  const names = stable(HELM_FUNCTIONS);
  const program = spawn(process.env.HELM_ENGINE ?? (await build('helm', 'helm')), {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TZ: 'UTC' },
  });
  const answers = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const results = new Map<string, Result>();
  for (const { template } of names.flatMap(casesOf)) {
    const files = { 'Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n', 'templates/a.yaml': template };
    program.stdin.write(`${JSON.stringify({ files, values: {} })}\n`);
    const { value } = await answers.next();
    results.set(template, JSON.parse(String(value)));
  }
  program.stdin.end();
  await write('templates/helm/goldens/matrix.json', names, results);
}

try {
  await recordSprout();
  await recordHelm();
} finally {
  await rm(scratch, { recursive: true });
}
