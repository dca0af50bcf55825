/**
 * Ownership of fields (`metadata.managedFields`) as the API server tracks it: a field belongs to the managers that applied it
 * or changed it. Maps are granular and lists atomic, except for those that a FieldStructure names.
 */
import { isObject, jsonEqual, valueAt } from '../../base/json/json-value.ts';
import type { AnyObject } from './memory-store.ts';

/** Who writes, and when. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: 'status';
  /** Timestamp of a change of what it owns. */
  readonly time: string;
}

/** Paths in the form of fieldsV1 (`f:spec`, `k:{"type":"Ready"}`, `v:"a"`), each element after a NUL. */
type FieldSet = ReadonlySet<string>;
type Managers = Map<string, { readonly entry: Entry; readonly fields: FieldSet }>;
type Entry = Omit<FieldManager, 'time'> & {
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsV1: unknown;
};

const pathOf = (...elements: readonly string[]) => elements.map((element) => `\0${element}`).join('');

/** How the fields of a kind are owned, by paths as `spec.workers[].config`; a schema has the same as `x-kubernetes-list-type` and so on. */
export interface FieldStructure {
  /** The key of the items of associative lists; empty: a set. */
  readonly lists: Readonly<Record<string, string>>;
  /** Maps that are owned as a whole. */
  readonly atomic: readonly string[];
}

/** What most kinds declare. */
export const commonStructure: FieldStructure = {
  lists: { 'metadata.finalizers': '', 'metadata.ownerReferences': 'uid', 'status.conditions': 'type' },
  atomic: ['metadata.ownerReferences[]'],
};

const none: FieldSet = new Set();
const plus = (one: FieldSet, other: FieldSet): FieldSet => new Set([...one, ...other]);
const minus = (fields: FieldSet, ...others: readonly FieldSet[]): FieldSet =>
  new Set([...fields].filter((path) => !others.some((other) => other.has(path))));

/** The managed fields after a create, PUT or patch: the manager owns what it changed. */
export function ownedByUpdate(
  old: AnyObject | undefined,
  next: AnyObject,
  by: FieldManager,
  structure = commonStructure,
): unknown[] {
  const { written, removed } = compare(old && managed(old), managed(next), structure);
  const before = managersOf(old);
  const own = before.get(idOf(by))?.fields ?? none;
  const after: Managers = new Map();
  for (const [id, { entry, fields }] of before)
    after.set(id, { entry, fields: minus(fields, written, removed) });
  const entry = { ...by, apiVersion: next.apiVersion, fieldsV1: {} };
  after.set(idOf(by), { entry, fields: plus(minus(own, removed), written) });
  return entriesOf(after, before, by);
}

/** The object after an apply of `config`, with its managed fields. Conflicts, as texts, are settled if `force` is set. */
export function applyFields(
  live: AnyObject | undefined,
  config: AnyObject,
  by: FieldManager,
  force: boolean,
  structure = commonStructure,
): { readonly object: AnyObject; readonly conflicts: readonly string[] } {
  const applied = partOf(config, by.subresource);
  const own = fieldsOf(managed(applied), structure);
  const before = managersOf(live);
  const others = [...before].filter(([id]) => id !== idOf(by));
  const kept = others.reduce<FieldSet>((all, [, { fields }]) => plus(all, fields), own);
  const givenUp = minus(before.get(idOf(by))?.fields ?? none, kept);
  const merged = prune(merge(live ?? {}, applied, '', structure), '', {
    givenUp,
    kept: [...kept],
    structure,
  }) as AnyObject;
  const { written, removed } = compare(live && managed(live), managed(merged), structure);
  const conflicts = others.flatMap(([, { entry, fields }]) =>
    [...fields]
      .filter((path) => written.has(path))
      .map((path) => `conflict with "${entry.manager}": ${fieldName(path)}`),
  );
  const entry = { ...by, apiVersion: config.apiVersion, fieldsV1: {} };
  const after: Managers = new Map([[idOf(by), { entry, fields: own }]]);
  for (const [id, { entry, fields }] of others) {
    after.set(id, { entry, fields: minus(fields, removed, force ? written : none) });
  }
  const managedFields = entriesOf(after, before, by);
  return { object: { ...merged, metadata: { ...merged.metadata, managedFields } }, conflicts };
}

/** What is stored of an applied object: the status alone, or everything else. */
function partOf({ status, ...rest }: AnyObject, subresource: 'status' | undefined): AnyObject {
  if (subresource === undefined) return rest;
  const { apiVersion, kind, metadata } = rest;
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, ...identity } = metadata;
  return { apiVersion, kind, metadata: identity, ...(status === undefined ? {} : { status }) };
}

/** The fields that can be owned. */
function managed({ apiVersion: _a, kind: _k, metadata, ...content }: AnyObject): object {
  const { labels, annotations, finalizers, ownerReferences, generateName } = metadata;
  const own = Object.entries({ labels, annotations, finalizers, ownerReferences, generateName });
  return { ...content, metadata: Object.fromEntries(own.filter(([, value]) => value !== undefined)) };
}

function fieldsOf(value: unknown, structure: FieldStructure): FieldSet {
  const fields = new Set<string>();
  addFields(value, '', { fields, withParents: false, structure });
  return withoutRoots(fields);
}

function withoutRoots(fields: Set<string>): Set<string> {
  for (const root of ['', pathOf('f:metadata')]) fields.delete(root);
  return fields;
}

/** Members by the element of their path; undefined for what is owned as a whole. */
function childrenOf(
  value: unknown,
  path: string,
  { lists, atomic }: FieldStructure,
): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const name = structurePath(path);
  if (atomic.includes(name)) return undefined;
  if (isObject(value)) return new Map(Object.entries(value).map(([name, member]) => [`f:${name}`, member]));
  const key = lists[name];
  if (!Array.isArray(value) || key === undefined) return undefined;
  return new Map(value.map((item) => [elementOf(item, key), item]));
}

/** `spec.workers[].config` */
const structurePath = (path: string) =>
  path
    .replace(/\0[kv]:[^\0]*/g, '[]')
    .replace(/\0f:/g, '.')
    .slice(1);

const elementOf = (item: unknown, key: string): string =>
  key === '' ? `v:${JSON.stringify(item)}` : `k:${JSON.stringify({ [key]: valueAt(item, [key]) })}`;

interface Added {
  readonly fields: Set<string>;
  /** Whether maps and lists are fields as well, and not only items of lists. */
  readonly withParents: boolean;
  readonly structure: FieldStructure;
}

function addFields(value: unknown, path: string, to: Added): void {
  const { fields, withParents, structure } = to;
  const children = childrenOf(value, path, structure);
  if (children === undefined || children.size === 0) return void fields.add(path);
  if (withParents || /\0k:[^\0]*$/.test(path)) fields.add(path);
  for (const [element, child] of children) addFields(child, path + pathOf(element), to);
}

/** The fields that were added or changed, and those that were removed. */
function compare(
  old: unknown,
  next: unknown,
  structure: FieldStructure,
): { readonly written: FieldSet; readonly removed: FieldSet } {
  const written = new Set<string>();
  const removed = new Set<string>();
  const walk = (before: unknown, after: unknown, path: string) => {
    if (jsonEqual(before, after)) return;
    if (before === undefined)
      return addFields(after, path, { fields: written, withParents: true, structure });
    if (after === undefined)
      return addFields(before, path, { fields: removed, withParents: true, structure });
    const [olds, news] = [childrenOf(before, path, structure), childrenOf(after, path, structure)];
    if (olds === undefined || news === undefined) return void written.add(path);
    for (const element of new Set([...olds.keys(), ...news.keys()]))
      walk(olds.get(element), news.get(element), path + pathOf(element));
  };
  walk(old, next, '');
  return { written: withoutRoots(written), removed: withoutRoots(removed) };
}

function merge(live: unknown, config: unknown, path: string, structure: FieldStructure): unknown {
  const [olds, news] = [childrenOf(live, path, structure), childrenOf(config, path, structure)];
  if (olds === undefined || news === undefined || Array.isArray(live) !== Array.isArray(config))
    return config;
  for (const [element, item] of news)
    olds.set(element, merge(olds.get(element), item, path + pathOf(element), structure));
  if (Array.isArray(live)) return [...olds.values()];
  return Object.fromEntries([...olds].map(([element, member]) => [element.slice(2), member]));
}

interface Pruning {
  readonly givenUp: FieldSet;
  readonly kept: readonly string[];
  readonly structure: FieldStructure;
}

/** Removes fields, and maps and lists that get empty; undefined if nothing is left. Kept ones stay. */
function prune(value: unknown, path: string, pruning: Pruning): unknown {
  const { givenUp, kept, structure } = pruning;
  const isKept = () => kept.some((field) => field === path || field.startsWith(`${path}\0`));
  if (givenUp.has(path) && !isKept()) return undefined;
  const children = [...(childrenOf(value, path, structure) ?? [])];
  const left = children.flatMap(([element, child]): [string, unknown][] => {
    const pruned = prune(child, path + pathOf(element), pruning);
    return pruned === undefined ? [] : [[element, pruned]];
  });
  if (children.length === 0) return value;
  if (left.length === 0 && !isKept()) return undefined;
  if (Array.isArray(value)) return left.map(([, item]) => item);
  return Object.fromEntries(left.map(([element, member]) => [element.slice(2), member]));
}

const idOf = ({ manager, operation, subresource }: Omit<FieldManager, 'time'>) =>
  JSON.stringify([manager, operation, subresource]);

function managersOf(object: AnyObject | undefined): Managers {
  const entries = (object?.metadata.managedFields ?? []) as Partial<Entry>[];
  return new Map(
    entries.filter(isEntry).map((entry) => {
      const fields = new Set<string>();
      readFields(entry.fieldsV1, '', fields);
      return [idOf(entry), { entry, fields }];
    }),
  );
}

const isEntry = (entry: Partial<Entry>): entry is Entry => entry.manager !== undefined;

/** The time of an entry is that of the last change of its fields. */
function entriesOf(after: Managers, before: Managers, { time }: FieldManager): unknown[] {
  const entries = [...after].flatMap(([id, { entry, fields }]) => {
    const known = before.get(id);
    if (fields.size === 0) return [];
    if (known?.fields.size === fields.size && minus(fields, known.fields).size === 0) return [known.entry];
    return [{ ...entry, time, fieldsType: 'FieldsV1', fieldsV1: fieldsV1(fields) }];
  });
  const orderOf = ({ operation, time, manager }: Entry) => JSON.stringify([operation, time, manager]);
  return entries.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

type Fields = { [element: string]: Fields };

function fieldsV1(set: FieldSet): Fields {
  const root: Fields = {};
  const nodes = [...set].map((path) => {
    let node = root;
    for (const element of path.split('\0').slice(1)) {
      node[element] ??= {};
      node = node[element];
    }
    return node;
  });
  // A node without members is a field; one with members says so.
  for (const node of nodes) if (Object.keys(node).length > 0) node['.'] = {};
  return root;
}

function readFields(fields: unknown, path: string, set: Set<string>): void {
  const members = isObject(fields) ? Object.entries(fields) : [];
  if (members.length === 0 && path !== '') set.add(path);
  for (const [element, inner] of members) {
    if (element === '.') set.add(path);
    else readFields(inner, path + pathOf(element), set);
  }
}

/** `.spec.colour` */
const fieldName = (path: string) => path.replace(/\0f:/g, '.').replace(/\0[kv]:([^\0]*)/g, '[$1]');
