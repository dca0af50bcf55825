/** Files of recorded objects. One that continues another has what differs from it, after a document with its name and the order of all. */
import { readFile } from 'node:fs/promises';
import { parseAllDocuments, stringify } from 'yaml';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';

interface Continuation {
  /** The name of the file before it, in the same folder. */
  readonly before: string;
  /** All objects; those without a document are as in the file before. */
  readonly objects: readonly string[];
}

const isContinuation = (document: object | undefined): document is Continuation =>
  document !== undefined && 'before' in document;

function idOf({ kind, metadata }: KubeObject): string {
  const { namespace = '', name = metadata.annotations?.['crossplane.io/composition-resource-name'] } =
    metadata;
  return `${kind} ${namespace}/${name}`;
}

export async function readRecord(file: URL): Promise<KubeObject[]> {
  const documents = parseAllDocuments(await readFile(file, 'utf8'))
    .map((document): KubeObject | Continuation => document.toJS())
    .filter((document) => document !== null);
  const [first, ...changed] = documents as [KubeObject | Continuation, ...KubeObject[]];
  if (!isContinuation(first)) return documents as KubeObject[];
  const known = [...(await readRecord(new URL(first.before, file))), ...changed];
  const byId = new Map(known.map((object) => [idOf(object), object]));
  return first.objects.map((id) => {
    const object = byId.get(id);
    if (object === undefined) throw new Error(`${id} is neither in ${file.pathname} nor in ${first.before}`);
    return object;
  });
}

/** @param before the name of the file before it, if there is one */
export async function recordText(
  file: URL,
  objects: readonly KubeObject[],
  before: string | undefined,
): Promise<string> {
  const known = before === undefined ? [] : await readRecord(new URL(before, file));
  const texts = new Set(known.map((object) => JSON.stringify(object)));
  const head = before === undefined ? [] : [{ before, objects: objects.map(idOf) }];
  const changed = objects.filter((object) => !texts.has(JSON.stringify(object)));
  return [...head, ...changed].map((document) => stringify(document, { lineWidth: 0 })).join('---\n');
}
