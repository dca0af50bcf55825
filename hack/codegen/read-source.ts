import { readRules, readSchema } from './read-schema.ts';
import type { Column, Form, Source } from './source.ts';
import { retiredNames } from './source.ts';
import type { Place } from './strict-yaml.ts';
import {
  booleanOf,
  choiceOf,
  fail,
  fieldsOf,
  listOf,
  numberOf,
  parseStrict,
  stringOf,
  stringsOf,
} from './strict-yaml.ts';

const common = [
  'kind',
  'plural',
  'description',
  'scopes',
  'shortNames',
  'categories',
  'columns',
  'rules',
  'managed',
];

/**
 * Reads one source file, `apis/<group>/<version>/<kind>.yaml`. Throws SourceError, which names file, line and
 * column, for whatever is unknown, missing or of another form.
 */
export function readSource(file: string, text: string): Source {
  const root = parseStrict(file, text);
  const all = fieldsOf(root, [...common, 'accepts', 'forProvider', 'atProvider', 'schema'], ['managed']);
  const managed = booleanOf(required(all, 'managed', root));
  const own = managed ? ['forProvider', 'atProvider'] : ['schema'];
  const fields = fieldsOf(
    root,
    [...common, ...own, ...(managed ? ['accepts'] : [])],
    ['kind', 'plural', 'description', 'scopes', ...own],
  );
  const kind = stringOf(required(fields, 'kind', root));
  const plural = stringOf(required(fields, 'plural', root));
  const forms = listOf(required(fields, 'scopes', root)).map((place) => readForm(place, kind, plural));
  const base = {
    file,
    version: readVersion(root, file, forms[0], kind),
    description: stringOf(required(fields, 'description', root)),
    shortNames: optional(fields, 'shortNames', stringsOf) ?? [],
    categories: optional(fields, 'categories', stringsOf) ?? [],
    forms,
    columns: optional(fields, 'columns', (place) => listOf(place).map(readColumn)) ?? [],
    rules: optional(fields, 'rules', readRules) ?? [],
  };
  if (!managed) return { ...base, managed, schema: readSchema(required(fields, 'schema', root)) };
  return {
    ...base,
    managed,
    accepts:
      optional(fields, 'accepts', (place) => listOf(place).map((item) => choiceOf(item, retiredNames))) ?? [],
    forProvider: described(required(fields, 'forProvider', root)),
    atProvider: described(required(fields, 'atProvider', root)),
  };
}

function readForm(place: Place, kind: string, plural: string): Form {
  const fields = fieldsOf(place, ['scope', 'group', 'kind', 'plural', 'emit'], ['scope', 'group']);
  const ownKind = optional(fields, 'kind', stringOf) ?? kind;
  const ownPlural = optional(fields, 'plural', stringOf);
  if (ownKind !== kind && ownPlural === undefined) fail(place, 'a kind of another name needs a plural');
  return {
    scope: choiceOf(required(fields, 'scope', place), ['Cluster', 'Namespaced']),
    group: stringOf(required(fields, 'group', place)),
    kind: ownKind,
    plural: ownPlural ?? plural,
    singular: ownKind.toLowerCase(),
    emit: optional(fields, 'emit', booleanOf) ?? true,
  };
}

function readColumn(place: Place): Column {
  const fields = fieldsOf(
    place,
    ['name', 'type', 'jsonPath', 'format', 'description', 'priority'],
    ['name', 'type', 'jsonPath'],
  );
  const format = optional(fields, 'format', stringOf);
  const description = optional(fields, 'description', stringOf);
  const priority = optional(fields, 'priority', numberOf);
  return {
    name: stringOf(required(fields, 'name', place)),
    type: choiceOf(required(fields, 'type', place), ['string', 'integer', 'number', 'boolean', 'date']),
    jsonPath: stringOf(required(fields, 'jsonPath', place)),
    ...(format === undefined ? {} : { format }),
    ...(description === undefined ? {} : { description }),
    ...(priority === undefined ? {} : { priority }),
    at: place.at,
  };
}

/** The folder says the version; that it agrees with what is written inside is checked rather than hoped for. */
function readVersion(root: Place, file: string, form: Form | undefined, kind: string): string {
  if (form === undefined) fail(root, 'scopes is empty');
  const version = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.exec(file.split('/').at(-2) ?? '')?.[0];
  const expected = `apis/${form.group}/${version ?? '<version>'}/${kind.toLowerCase()}.yaml`;
  if (version === undefined || file !== expected) fail(root, `this file belongs to ${expected}`);
  return version;
}

function described(place: Place): ReturnType<typeof readSchema> {
  const schema = readSchema(place);
  if (schema.description === undefined) fail(place, 'description is missing');
  return schema;
}

function required(fields: ReadonlyMap<string, Place>, name: string, place: Place): Place {
  return fields.get(name) ?? fail(place, `${name} is missing`);
}

function optional<T>(
  fields: ReadonlyMap<string, Place>,
  name: string,
  read: (place: Place) => T,
): T | undefined {
  const place = fields.get(name);
  return place === undefined ? undefined : read(place);
}
