/** `provider-kyma-kit upgrade`: a project after a new version of the library, or with a new version of its document. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { withParameters } from '../document/openapi-document.ts';
import { sha256 } from '../format/provider-file.ts';
import { PROVIDER_FILE, readProject } from '../generate/read-project.ts';
import { candidatesOf } from '../init/candidates.ts';
import { parsedOpenapi, readOpenapi } from '../init/init.ts';
import {
  developerDependencies,
  json,
  libraryManifest,
  type ProjectRecord,
  projectFiles,
  RECORD,
} from '../init/project-files.ts';
import { type KitCommand, KitError, readArgs } from '../kit-command.ts';
import { modelKinds } from '../model/model-kinds.ts';
import { type Change, compareModels } from './compare-models.ts';

const usage = `Usage: provider-kyma-kit upgrade [--openapi FILE] [--breaking] [--check]

After \`npm install\` of a new version of provider-kyma: brings the files that \`init\` wrote to that version. A file that you have changed
stays as it is.

With --openapi: says what the document changes in the kinds of provider.yaml, then records it.

  --openapi   the new document: a file, or its address (https)
  --breaking  record it also if objects, compositions or updates that were valid before may fail
  --check     write nothing; exit with 1 if something would be written`;

const options = {
  openapi: { type: 'string' },
  breaking: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
} as const;

export const upgradeCommand: KitCommand = {
  usage,
  run: async (args) => {
    const { values } = readArgs(usage, { args, options });
    const root = process.cwd();
    const writes = await filesOf(root);
    let isRefused = false;
    if (values.openapi !== undefined) {
      const recorded = await documentOf(root, values.openapi);
      isRefused = recorded.isBreaking && !values.breaking;
      if (isRefused) console.log('the document is not recorded; --breaking does it');
      else for (const [path, text] of recorded.writes) writes.set(path, text);
    }
    if (writes.size === 0 && !isRefused) console.log('everything is current');
    for (const [path, text] of writes) {
      if (!values.check) await writeFile(join(root, path), text);
      console.log(`${values.check ? 'would write' : 'wrote'} ${path}`);
    }
    if (!values.check && writes.size > 0)
      console.log('Next: npm install, npx provider-kyma-kit generate, npm test');
    return !isRefused && (!values.check || writes.size === 0);
  },
};

type Writes = Map<string, string>;

/** Files of `init` that are as it wrote them, in their new form; what developers need of package.json. */
async function filesOf(root: string): Promise<Writes> {
  const library = await libraryManifest();
  const record = await recordOf(root);
  const writes: Writes = new Map();
  const files: Record<string, string> = {};
  for (const [path, text] of projectFiles(record)) {
    const present = await readFile(join(root, path), 'utf8').catch(() => undefined);
    const known = record.files[path];
    files[path] = sha256(text);
    if (present === text) continue;
    if (known === undefined && present === undefined) writes.set(path, text);
    else if (present !== undefined && sha256(present) === known) writes.set(path, text);
    else if (known !== sha256(text)) {
      console.log(
        `${path} ${present === undefined ? 'was deleted' : 'was changed'} and stays so; its new form is that of \`init\``,
      );
    }
  }
  const manifest: { devDependencies?: Record<string, string> } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  const devDependencies = { ...manifest.devDependencies, ...developerDependencies(library) };
  const sorted = Object.fromEntries(Object.entries(devDependencies).sort());
  const next = json({ ...manifest, devDependencies: sorted });
  if (JSON.stringify(manifest.devDependencies) !== JSON.stringify(sorted)) writes.set('package.json', next);
  const version = { ...record, version: library.version, files };
  if (JSON.stringify(version) !== JSON.stringify(record)) writes.set(RECORD, json(version));
  return writes;
}

async function recordOf(root: string): Promise<ProjectRecord> {
  try {
    return JSON.parse(await readFile(join(root, RECORD), 'utf8'));
  } catch (error) {
    throw new KitError(`cannot upgrade: ${RECORD}, which \`init\` writes, is missing or no JSON`, {
      cause: error,
    });
  }
}

async function documentOf(
  root: string,
  source: string,
): Promise<{ readonly isBreaking: boolean; readonly writes: Writes }> {
  const project = await readProject(root);
  const text = await readOpenapi(source);
  const document = withParameters(parsedOpenapi(source, text), project.file.api.path ?? {});
  const broken: Change[] = [];
  const report = (where: string, problem: string) => {
    const [, kind = ''] = where.split('.');
    broken.push({ kind, where: PROVIDER_FILE, text: `${where}: ${problem}`, isBreaking: true });
  };
  const models = modelKinds({ file: project.file, document, report });
  const changes: Change[] = project.kinds.flatMap((before) => {
    const after = models.find(({ kind }) => kind === before.kind);
    const own = broken.filter(({ kind }) => kind === before.kind);
    return after === undefined ? own : [...own, ...compareModels(before, after)];
  });
  for (const isBreaking of [true, false])
    for (const { kind, where, text: change } of changes.filter((each) => each.isBreaking === isBreaking))
      console.log(`${isBreaking ? 'breaking  ' : 'compatible'}  ${kind} ${where}: ${change}`);
  const known = new Set(candidatesOf(project.document).map(({ path }) => path));
  const added = candidatesOf(document).filter(({ path }) => !known.has(path));
  for (const { path, kind, verdict } of added)
    if (verdict !== 'no kind') console.log(`new         ${path}: ${kind}, ${verdict}`);
  const others = added.filter(({ verdict }) => verdict === 'no kind').length;
  if (others > 0) console.log(`new         ${others} collections that can be no kinds`);
  const file = posix.join(posix.dirname(project.path), project.file.openapi.file);
  const writes: Writes = new Map();
  if ((await readFile(join(root, file), 'utf8')) !== text) writes.set(file, text);
  const pinned = project.file.openapi.sha256;
  const settings = await readFile(join(root, project.path), 'utf8');
  if (pinned !== undefined && pinned !== sha256(text))
    writes.set(project.path, settings.replace(pinned, sha256(text)));
  return { isBreaking: changes.some((each) => each.isBreaking), writes };
}
