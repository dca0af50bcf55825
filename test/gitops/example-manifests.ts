import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';

const examples = new URL('../../examples/', import.meta.url);

/** The objects of a file below examples/. */
export async function exampleManifests(path: string): Promise<KubeObject[]> {
  const text = await readFile(new URL(path, examples), 'utf8');
  return parseAllDocuments(text).map((document): KubeObject => document.toJS());
}
