/** Reads the project of an author: `provider.yaml`, its OpenAPI document, and the models of its kinds. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import {
  DocumentError,
  type OpenapiDocument,
  parseDocument,
  withParameters,
} from '../document/openapi-document.ts';
import { type Problem, type ProviderFile, sha256 } from '../format/provider-file.ts';
import { ProviderFileError, readProviderFile } from '../format/read-provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import type { KindModel } from '../model/kind-model.ts';
import { modelKinds } from '../model/model-kinds.ts';

export interface AuthorProject {
  readonly root: string;
  /** Relative to `root`. */
  readonly path: string;
  readonly file: ProviderFile;
  readonly document: OpenapiDocument;
  readonly kinds: readonly KindModel[];
  readonly hasHooks: boolean;
}

export const PROVIDER_FILE = 'provider.yaml';

/** What concerns all kinds: an API without credentials is rare, and looks like any other one in the tests. */
export function projectWarnings({
  file: { api },
  document,
}: Pick<AuthorProject, 'file' | 'document'>): readonly string[] {
  return api.authentication === undefined && document.authentication === undefined
    ? [
        'api.authentication: the document does not say how requests are authorized, so they have no credentials; state it, or authentication: none',
      ]
    : [];
}

/** @throws ProviderFileError with all mistakes */
export async function readProject(root: string, path = PROVIDER_FILE): Promise<AuthorProject> {
  const read = readProviderFile(path, await textOf(root, path, path));
  const { partial } = read;
  // What cannot be read is reported together with what does not fit the document.
  if (partial?.openapi === undefined || read.isBroken('openapi'))
    throw new ProviderFileError(path, read.problems);
  const file = { ...partial, api: read.isBroken('api') ? {} : partial.api, kinds: partial.kinds ?? {} };
  const problems: Problem[] = [...read.problems];
  const report = (where: string, text: string) => problems.push({ at: read.at(where), text });
  const document = await readDocument(root, path, file, report);
  if (document === undefined) throw new ProviderFileError(path, problems);
  const isBroken = (kind: string) => read.isBroken(`kinds.${kind}`);
  const kinds = modelKinds({ file, document, report, isBroken });
  if (partial.kinds !== undefined && Object.keys(file.kinds).length === 0)
    report('kinds', 'there is no kind');
  if (problems.length > 0) {
    problems.sort((a, b) => a.at.line - b.at.line || a.at.col - b.at.col);
    throw new ProviderFileError(path, problems);
  }
  return { root, path, file, document, kinds, hasHooks: existsSync(join(root, 'hooks.ts')) };
}

async function readDocument(
  root: string,
  path: string,
  { openapi: { file, sha256: pinned }, api }: ProviderFile,
  report: (where: string, text: string) => void,
): Promise<OpenapiDocument | undefined> {
  const at = posix.join(posix.dirname(path), file);
  try {
    const text = await readFile(join(root, at), 'utf8');
    const actual = sha256(text);
    if (pinned !== undefined && pinned !== actual)
      report('openapi.sha256', `${file} is another document, with the SHA-256 ${actual}`);
    return withPath(parseDocument(text), api.path ?? {}, report);
  } catch (error) {
    if (!(error instanceof DocumentError) && !isMissing(error)) throw error;
    report('openapi', `cannot read ${file}: ${isMissing(error) ? 'there is no such file' : error.message}`);
    return undefined;
  }
}

function withPath(
  document: OpenapiDocument,
  values: Readonly<Record<string, string>>,
  report: (where: string, text: string) => void,
): OpenapiDocument {
  const known = new Set(
    document.operations.flatMap(({ parameters }) =>
      parameters.flatMap(({ name, in: place }) => (place === 'path' ? [name] : [])),
    ),
  );
  for (const name of Object.keys(values))
    if (!known.has(name)) report(`api.path.${name}`, unknownName('parameter of a path', name, [...known]));
  return withParameters(document, values);
}

async function textOf(root: string, path: string, name: string): Promise<string> {
  try {
    return await readFile(join(root, path), 'utf8');
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ProviderFileError(name, [
      { at: { line: 1, col: 1 }, text: `there is no such file in ${dirname(name)}` },
    ]);
  }
}

const isMissing = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
