import { inVersion, namedVersions } from './in-version.ts';
import { innerSchemas } from './inner-schemas.ts';
import { readRules, readSchema } from './read-schema.ts';
import {
  type Column,
  type Conversion,
  type Form,
  retiredNames,
  type Schema,
  type Source,
  type Version,
} from './source.ts';
import {
  booleanOf,
  choiceOf,
  entriesOf,
  fail,
  listOf,
  numberOf,
  type Place,
  parseStrict,
  recordOf,
  stringOf,
  stringsOf,
} from './strict-yaml.ts';
import { placeholderService, readPath, readReviewVersions, readService } from './webhook-service.ts';

const required = {
  kind: stringOf,
  plural: stringOf,
  description: stringOf,
  scopes: listOf,
};
const optional = {
  versions: (place: Place) => listOf(place).map(readVersion),
  conversion: readConversion,
  shortNames: stringsOf,
  categories: stringsOf,
  columns: (place: Place) => listOf(place).map(readColumn),
  rules: readRules,
};

/**
 * Reads one source file, `apis/<group>/<version>/<kind>.yaml`, which may state several versions with one schema. Throws
 * SourceError, which names file, line and column, for anything unknown, missing or of a wrong type.
 */
export function readSource(file: string, text: string): Source[] {
  const root = parseStrict(file, text);
  const entries = entriesOf(root);
  const managed = entries.find(({ key }) => key === 'managed')?.value ?? fail(root, 'managed is missing');
  const { scopes, versions, ...fields } = booleanOf(managed) ? readManaged(root) : readPlain(root);
  const forms = readForms(scopes, fields.kind, fields.plural);
  const folder = versionOfFolder(root, file, forms[0], fields.kind);
  if (versions?.every(({ version }) => version !== folder)) {
    fail(root, `versions: ${folder} is missing, the version that the folder is named after`);
  }
  const only = { version: folder, served: true, storage: true, deprecated: false };
  const all = versions ?? [only];
  const unknown = namedVersions(fields).find((name) => all.every(({ version }) => version !== name));
  if (unknown !== undefined) fail(root, `$versions: ${unknown} is not a version of this source`);
  const source = {
    conversion: { strategy: 'None' } as const,
    shortNames: [],
    categories: fields.managed ? ['crossplane', 'managed', forms[0]?.group.split('.', 1)[0] ?? ''] : [],
    columns: fields.managed ? managedColumns.map((column) => ({ ...column, at: root.at })) : [],
    rules: [],
    file,
    forms,
    at: Object.fromEntries(entries.map(({ key, value }) => [key, value.at])),
  };
  return all.map((version) => ({ ...source, ...inVersion(fields, version.version), ...version }));
}

/** The columns of Crossplane's providers. */
const managedColumns: readonly Omit<Column, 'at'>[] = [
  { name: 'READY', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
  { name: 'SYNCED', type: 'string', jsonPath: ".status.conditions[?(@.type=='Synced')].status" },
  {
    name: 'EXTERNAL-NAME',
    type: 'string',
    jsonPath: '.metadata.annotations.crossplane\\.io/external-name',
  },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

function readManaged(root: Place) {
  const fields = recordOf(
    root,
    {
      ...required,
      managed: () => true as const,
      forProvider: readForProvider,
      atProvider: withoutReferences(described),
    },
    { ...optional, accepts: (place) => listOf(place).map((item) => choiceOf(item, retiredNames)) },
  );
  return { ...fields, accepts: fields.accepts ?? [] };
}

function readPlain(root: Place) {
  const schema = withoutReferences(readSchema);
  return recordOf(root, { ...required, managed: () => false as const, schema }, optional);
}

/** Types and builders tell the forms of a name apart by their scope. */
function readForms(places: readonly Place[], kind: string, plural: string): Form[] {
  const names = new Set<string>();
  return places.map((place) => {
    const form = readForm(place, kind, plural);
    const name = `${form.kind} of scope ${form.scope}`;
    if (names.has(name)) fail(place, `${name} is stated twice`);
    names.add(name);
    return form;
  });
}

function readForm(place: Place, kind: string, plural: string): Form {
  const fields = recordOf(
    place,
    { scope: (scope) => choiceOf(scope, ['Cluster', 'Namespaced']), group: stringOf },
    { kind: stringOf, plural: stringOf, emit: booleanOf },
  );
  const form = { kind, plural, emit: true, ...fields };
  if (form.kind !== kind && fields.plural === undefined) {
    fail(place, 'a kind of another name needs a plural');
  }
  return { ...form, singular: form.kind.toLowerCase() };
}

export function readColumn(place: Place): Column {
  const column = recordOf(
    place,
    {
      name: stringOf,
      type: (type) => choiceOf(type, ['string', 'integer', 'number', 'boolean', 'date']),
      jsonPath: stringOf,
    },
    { format: stringOf, description: stringOf, priority: numberOf, $versions: stringsOf },
  );
  return { ...column, at: place.at };
}

/** Versions of APIs, as Kubernetes sorts them. */
export const versionPattern = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/;

function readVersion(place: Place): Version {
  const { name, ...fields } = recordOf(
    place,
    { name: stringOf },
    { served: booleanOf, storage: booleanOf, deprecated: booleanOf, deprecationWarning: stringOf },
  );
  const version = { version: name, served: true, storage: false, deprecated: false, ...fields };
  if (!versionPattern.test(name)) fail(place, `name: ${name} is no version such as v1 or v1alpha1`);
  if (version.deprecationWarning !== undefined && !version.deprecated) {
    fail(place, 'deprecationWarning needs deprecated: true');
  }
  return version;
}

function readConversion(place: Place): Conversion {
  const { strategy, ...webhook } = recordOf(
    place,
    { strategy: (at) => choiceOf(at, ['None', 'Webhook']) },
    { service: readService, path: readPath, conversionReviewVersions: readReviewVersions },
  );
  if (strategy === 'Webhook') {
    return {
      strategy,
      service: placeholderService,
      path: '/convert',
      conversionReviewVersions: ['v1'],
      ...webhook,
    };
  }
  const [unused] = Object.keys(webhook);
  if (unused !== undefined) fail(place, `${unused} needs strategy: Webhook`);
  return { strategy };
}

/** The folder states the version; the file must agree with it. */
function versionOfFolder(root: Place, file: string, form: Form | undefined, kind: string): string {
  if (form === undefined) fail(root, 'scopes is empty');
  const version = versionPattern.exec(file.split('/').at(-2) ?? '')?.[0];
  const apis = file.split('/').slice(0, -3).join('/');
  const expected = `${apis}/${form.group}/${version ?? '<version>'}/${kind.toLowerCase()}.yaml`;
  if (version === undefined || file !== expected) fail(root, `this file belongs to ${expected}`);
  return version;
}

/** The resolver fills properties of forProvider, and of objects and lists within it. */
function readForProvider(place: Place): Schema {
  const schema = described(place);
  checkReferences(place, schema);
  return schema;
}

function checkReferences(place: Place, { properties = {}, items, additionalProperties }: Schema): void {
  if (additionalProperties !== undefined) refuseReferences(place, [additionalProperties]);
  if (items?.$reference !== undefined) refuseReferences(place, [items]);
  if (items !== undefined) checkReferences(place, items);
  for (const property of Object.values(properties)) checkReferences(place, property);
}

const withoutReferences =
  (read: (place: Place) => Schema) =>
  (place: Place): Schema => {
    const schema = read(place);
    refuseReferences(place, [schema]);
    return schema;
  };

function refuseReferences(place: Place, schemas: readonly Schema[]): void {
  for (const schema of schemas) {
    if (schema.$reference !== undefined)
      fail(place, '$reference is for properties of forProvider, and of objects and lists within it');
    innerSchemas(schema, (inner) => refuseReferences(place, [inner]));
  }
}

function described(place: Place): Schema {
  const schema = readSchema(place);
  if (schema.description === undefined) fail(place, 'description is missing');
  return schema;
}
