#!/usr/bin/env node
/**
 * `provider-kyma-generate`: generates CRDs, types and webhook configurations in the project of an author, with the code
 * that generates those of provider-kyma. It needs no compiler.
 */
import { posix } from 'node:path';
import { parseArgs } from 'node:util';
import { generateKinds } from './generate-kinds.ts';
import { applyOutputs, collectOutputs } from './outputs.ts';
import { authorProject } from './project.ts';
import { SourceError } from './source/source-error.ts';

const usage = `Usage: provider-kyma-generate [--apis apis] [--crds package/crds] [--check]

Reads <apis>/<group>/<version>/<kind>.yaml, <apis>/<group>/group.yaml and <apis>/<group>/webhooks.yaml, and writes CRDs
into <crds> and types beside the sources. Paths are relative to the current folder.

  --apis   folder of the sources; default: apis
  --crds   folder of the CRDs; default: package/crds
  --check  write nothing; exit with 1 if a file is not what its source asks for`;

/** Something in the arguments or the project that the user corrects. */
class UsageError extends Error {}

async function main(args: string[]): Promise<boolean> {
  const { apis, crds, check, help } = read(args);
  if (help) {
    console.log(usage);
    return true;
  }
  const project = authorProject(process.cwd(), { apis: folder('apis', apis), crds: folder('crds', crds) });
  const { outputs, put } = collectOutputs(project);
  await generateKinds(project, put);
  if (outputs.size === 0) {
    throw new UsageError(`cannot generate: ${project.apis} has no source <group>/<version>/<kind>.yaml`);
  }
  return applyOutputs(project, outputs, { check });
}

function read(args: string[]) {
  const options = {
    apis: { type: 'string', default: 'apis' },
    crds: { type: 'string', default: 'package/crds' },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** A folder of the project, without `./` and without `/` at the end. */
function folder(option: string, path: string): string {
  const normal = posix.normalize(path.replaceAll('\\', '/')).replace(/\/$/, '');
  if (posix.isAbsolute(normal) || /^\.\.?(\/|$)/.test(normal)) {
    throw new UsageError(`--${option}: ${path} is not a folder below the current one`);
  }
  return normal;
}

try {
  if (!(await main(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SourceError || error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
