import { isObject, ownMember, systemClock, valueAt } from '../../../../../framework/base/index.ts';
import type { KubeObject } from '../../../../../framework/kube/index.ts';
import { isNameOfSomeKind, isNamespaceName } from '../../../../../framework/kube/object/object.ts';
import {
  type Budget,
  createBudget,
  GoMap,
  GoSlice,
  TemplateLimitError,
  type TemplateLimits,
  type Value,
} from '../../../../../templates/gotemplate/index.ts';
import { YamlError } from '../../../../../templates/helm/yaml/cursor.ts';
import { decodeYaml } from '../../../../../templates/helm/yaml/decode.ts';
import type { ManifestObject } from '../../model/component.ts';
import { refused, SourceError } from '../sources/chart-source.ts';

/** The limit of objects in one manifest. */
const MAX_OBJECTS = 10_000;

/**
 * The objects of a text, in their order; items of a `List`, and of kinds that end in `List`, on their own.
 *
 * @param source the file, for messages and for `ManifestObject.source`
 * @param firstLine the line of the file where the text begins; default 1
 * @param budget what all documents are charged to. Default: one for each of them
 * @throws SourceError with file and line for a document that cannot be parsed or is no object of Kubernetes
 */
export function objectsOf(
  text: string,
  source: string,
  firstLine = 1,
  budget?: Budget,
): readonly ManifestObject[] {
  const objects: ManifestObject[] = [];
  for (const document of splitYaml(text)) {
    const line = firstLine - 1 + document.line;
    const value = parseYamlText(document.text, source, line, budget);
    if (value === null || value === undefined) continue;
    for (const object of flatten(value, source, line)) objects.push({ object, source });
    if (objects.length > MAX_OBJECTS)
      throw invalid(source, line, `there are more than ${MAX_OBJECTS} objects`);
  }
  return objects;
}

function flatten(value: unknown, source: string, line: number): readonly KubeObject[] {
  const items = itemsOf(value);
  if (items !== undefined) return items.flatMap((item) => flatten(item, source, line));
  const problem = problemOf(value);
  if (problem !== undefined) throw invalid(source, line, problem);
  return [value as KubeObject];
}

/**
 * The items of a list; undefined for other objects. As Kubernetes reads them, an object with items is a list, and items without a kind have
 * that of the list.
 */
function itemsOf(value: unknown): readonly unknown[] | undefined {
  const kind = valueAt(value, ['kind']);
  if (!isObject(value) || typeof kind !== 'string') return undefined;
  const items = ownMember(value, 'items');
  // Go writes null for a list without items.
  if (items === null) return [];
  if (!Array.isArray(items)) return undefined;
  const ofItems = { apiVersion: value.apiVersion, kind: kind.replace(/List$/, '') };
  return items.map((item: unknown) =>
    isObject(item) && !item.apiVersion && !item.kind ? { ...item, ...ofItems } : item,
  );
}

/** Why the value is no object that can be applied. */
function problemOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'the document is no object';
  for (const path of [['apiVersion'], ['kind'], ['metadata', 'name']]) {
    const field = valueAt(value, path);
    if (typeof field !== 'string' || field === '') return `the object has no ${path.join('.')}`;
  }
  // The inventory is written before an object is applied: a name that no object has would be pruned again and again.
  const name = valueAt(value, ['metadata', 'name']);
  if (typeof name !== 'string' || !isNameOfSomeKind(name)) return 'metadata.name is no name of an object';
  const namespace = valueAt(value, ['metadata', 'namespace']) ?? '';
  if (typeof namespace !== 'string') return 'metadata.namespace is not a string';
  if (namespace !== '' && !isNamespaceName(namespace)) return 'metadata.namespace is no name of a namespace';
  return undefined;
}

/** A document of a file of YAML, with the line where it begins. */
interface YamlDocumentText {
  readonly text: string;
  readonly line: number;
}

/** Begins a document: `---` at the start of a line, with nothing but a comment or a value after it. */
const separator = /^---(?:$|\s)/;
/** Ends a document. What follows is another one. */
const end = /^\.\.\.(?:$|\s)/;

/** The documents of a text; those with nothing but blank lines and comments are left out. */
function splitYaml(text: string): readonly YamlDocumentText[] {
  const documents: YamlDocumentText[] = [];
  let lines: string[] = [];
  let first = 1;
  /** @param last the line break before what follows; a block scalar keeps it */
  const close = (last: string) => {
    if (lines.some((line) => /^\s*[^\s#]/.test(line)))
      documents.push({ text: lines.join('\n') + last, line: first });
    lines = [];
  };
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const begins = separator.test(line);
    if (begins || end.test(line)) {
      close('\n');
      // A value may follow on the same line: `--- {a: 1}`.
      first = index + 1;
      lines = [begins ? `   ${line.slice(3)}` : ''];
    } else {
      lines.push(line);
    }
  }
  close('');
  return documents;
}

interface JsonBounds {
  readonly bytes: number;
  readonly values: number;
}

/** Bytes of a request to an API server; what is read of an object of a managed cluster has no more values. */
const OBJECT_BOUNDS: JsonBounds = { bytes: 3 * 1024 * 1024, values: 200_000 };
/** Of files with values: they are merged, and sent to another process again. */
export const VALUES_BOUNDS: JsonBounds = { bytes: 1024 * 1024, values: 50_000 };

/**
 * A value as JSON. The event loop reads it and works on it, so that one which no API server takes is refused.
 *
 * @throws SourceError
 */
export function boundedJson(value: unknown, source: string, bounds = OBJECT_BOUNDS): string {
  let values = 0;
  const json = JSON.stringify(value, (_, member: unknown) => {
    values++;
    return member;
  });
  if (values <= bounds.values && Buffer.byteLength(json) <= bounds.bytes) return json;
  const [kind, name] = [valueAt(value, ['kind']), valueAt(value, ['metadata', 'name'])];
  const what = typeof kind === 'string' && typeof name === 'string' ? `${kind} ${name}` : 'the content';
  throw refused(`${source}: ${what} has more than ${bounds.bytes} bytes of JSON, or ${bounds.values} values`);
}

/** The largest CRDs have 1 MB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Of a text that the event loop reads: what users of a cluster wrote there. Some milliseconds. */
const EVENT_LOOP_LIMITS: TemplateLimits = {
  sourceBytes: 64 * 1024,
  outputBytes: 0,
  memoryBytes: 4 * 1024 * 1024,
  steps: 10_000,
  timeMs: 10_000,
  depth: 64,
};

/**
 * The value of one document as Helm reads it: scalars are resolved as the YAML library of Go does.
 *
 * @param source the file, for messages
 * @param firstLine the line of the file where the text begins; default 1
 * @param budget of the process of a job, which all of its texts are charged to. Default: what the event loop may read at once
 * @throws SourceError with file and line if it cannot be parsed
 */
export function parseYamlText(text: string, source: string, firstLine = 1, budget?: Budget): unknown {
  const maxBytes = budget === undefined ? EVENT_LOOP_LIMITS.sourceBytes : MAX_BYTES;
  if (text.length > maxBytes) throw invalid(source, firstLine, `it has more than ${maxBytes} bytes`);
  try {
    return plain(decodeYaml(text, budget ?? createBudget(EVENT_LOOP_LIMITS, systemClock)));
  } catch (error) {
    if (error instanceof TemplateLimitError) {
      throw new SourceError(error.kind, `${source}:${firstLine}: ${error.message}`);
    }
    if (!(error instanceof YamlError)) throw error;
    const [, line = '1', problem = error.message] =
      /^yaml: (?:line (\d+): )?(.*)$/s.exec(error.message) ?? [];
    throw invalid(source, firstLine - 1 + Number(line), problem);
  }
}

export const invalid = (source: string, line: number, why: string): SourceError =>
  new SourceError('terminal', `${source}:${line}: ${why}`);

/** JSON values. Bytes that are not UTF-8 become U+FFFD. */
function plain(value: Value): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (value instanceof GoSlice) return value.items.map(plain);
  if (!(value instanceof GoMap)) return value;
  return Object.fromEntries(
    [...value.entries].map(([key, item]) => [String(key).toWellFormed(), plain(item)]),
  );
}
