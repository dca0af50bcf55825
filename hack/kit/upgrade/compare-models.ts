/** What a new document changes in the kinds of a provider, for the objects and compositions of its users. */
import { isObject } from '../../../internal/framework/base/json/json-value.ts';
import type { JsonObject } from '../document/openapi-document.ts';
import type { KindModel } from '../model/kind-model.ts';

export interface Change {
  readonly kind: string;
  /** A field of the object, `spec.forProvider.title`, or a part of the definition. */
  readonly where: string;
  readonly text: string;
  /** Objects, compositions or their updates that were valid before may fail. */
  readonly isBreaking: boolean;
}

export function compareModels(before: KindModel, after: KindModel): Change[] {
  const changes: Change[] = [];
  const note = (isBreaking: boolean) => (where: string, text: string) => {
    changes.push({ kind: before.kind, where, text, isBreaking });
  };
  const report = { breaking: note(true), compatible: note(false) };
  compareSchemas('spec.forProvider', before.forProvider, after.forProvider, report);
  compareSchemas('status.atProvider', before.atProvider, after.atProvider, report);
  compareDefinitions(before, after, report);
  return changes;
}

interface Report {
  breaking(where: string, text: string): void;
  compatible(where: string, text: string): void;
}

/** Of limits, those of which a smaller value refuses more, and those of which a larger one does. */
const UPPER = ['maxLength', 'maxItems', 'maxProperties', 'maximum'];
const LOWER = ['minLength', 'minItems', 'minProperties', 'minimum'];

function compareSchemas(where: string, before: JsonObject, after: JsonObject, report: Report): void {
  if (before.type !== after.type) {
    report.breaking(where, `type ${before.type ?? 'any'} → ${after.type ?? 'any'}`);
    return;
  }
  for (const [names, refusesMore] of [
    [UPPER, (a: number, b: number) => b < a],
    [LOWER, (a: number, b: number) => b > a],
  ] as const)
    for (const name of names) {
      const [a, b] = [numberAt(before, name), numberAt(after, name)];
      if (a === b) continue;
      const isStricter = b !== undefined && (a === undefined || refusesMore(a, b));
      report[isStricter ? 'breaking' : 'compatible'](where, `${name} ${a ?? 'none'} → ${b ?? 'none'}`);
    }
  const [fields, others] = [objectAt(before, 'properties'), objectAt(after, 'properties')];
  const [required, requires] = [listAt(before, 'required'), listAt(after, 'required')];
  for (const [name, schema] of Object.entries(fields)) {
    const other = others[name];
    const path = `${where}.${name}`;
    if (!isObject(other)) report.breaking(path, 'is gone');
    else {
      compareSchemas(path, isObject(schema) ? schema : {}, other, report);
      if (!required.includes(name) && requires.includes(name)) report.breaking(path, 'is required now');
      if (required.includes(name) && !requires.includes(name)) report.compatible(path, 'is optional now');
    }
  }
  for (const name of Object.keys(others)) {
    if (fields[name] !== undefined) continue;
    if (requires.includes(name)) report.breaking(`${where}.${name}`, 'is new and required');
    else report.compatible(`${where}.${name}`, 'is new');
  }
  for (const name of ['items', 'additionalProperties']) {
    const [a, b] = [before[name], after[name]];
    if (isObject(a) && isObject(b)) compareSchemas(`${where}[]`, a, b, report);
  }
}

function compareDefinitions(
  { definition: before }: KindModel,
  { definition: after }: KindModel,
  report: Report,
): void {
  const changed = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  if (changed(before.id.parts, after.id.parts))
    report.breaking('id', 'the external names of existing objects have another form');
  if (before.update !== undefined && after.update === undefined)
    report.breaking('update', 'nothing can be changed any more');
  for (const name of ['create', 'read', 'update', 'delete'] as const)
    if (after[name] !== undefined && changed(before[name], after[name]))
      report.compatible(name, `${JSON.stringify(before[name])} → ${JSON.stringify(after[name])}`);
  for (const [name, field] of Object.entries(after.fields)) {
    const former = before.fields[name];
    if (former === undefined) continue;
    const where = `spec.forProvider.${name}`;
    if (!former.immutable && field.immutable) report.breaking(where, 'can no longer be changed');
    if (former.immutable && !field.immutable) report.compatible(where, 'can be changed now');
    if (!former.writeOnly && field.writeOnly)
      report.breaking(where, 'is no longer returned: its drift is not seen');
  }
}

const numberAt = (schema: JsonObject, name: string): number | undefined =>
  typeof schema[name] === 'number' ? schema[name] : undefined;
const objectAt = (schema: JsonObject, name: string): JsonObject => {
  const value = schema[name];
  return isObject(value) ? value : {};
};
const listAt = (schema: JsonObject, name: string): readonly unknown[] => {
  const value = schema[name];
  return Array.isArray(value) ? value : [];
};
