/** Makes the models of all kinds of `provider.yaml`: what one says of another needs both. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, ownMember } from '../../../internal/framework/base/json/json-value.ts';
import type { KindSettings, ReferenceSettings } from '../format/provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import { camelCase } from './id-parts.ts';
import type { KindModel } from './kind-model.ts';
import { type ModelOptions, modelKind } from './model-kind.ts';

/** Without kinds after a mistake without which the rest cannot be checked. */
export function modelKinds(options: ModelOptions): KindModel[] {
  const { file, report } = options;
  const { isBroken = () => false } = options;
  const targets = new Map<string, KindModel>();
  const visited = new Set<string>();
  /** The fields that a kind was modelled with. */
  const used = new Map<string, KindSettings['fields']>();
  const modelled = (kind: string, settings: KindSettings, to: ModelOptions['report']) => {
    const fields = withValues(settings.fields, targets);
    used.set(kind, fields);
    const model = modelKind(kind, { ...settings, fields }, { ...options, report: to });
    if (model !== undefined) targets.set(kind, model);
  };
  // A reference may take a part of the ID of its kind, so that is modelled before.
  const visit = (kind: string): void => {
    const settings = file.kinds[kind];
    if (settings === undefined || visited.has(kind)) return;
    visited.add(kind);
    for (const { reference } of Object.values(settings.fields))
      if (reference !== undefined) visit(reference.kind);
    if (!isBroken(kind)) modelled(kind, settings, report);
  };
  for (const kind of Object.keys(file.kinds)) visit(kind);
  return Object.entries(file.kinds).flatMap(([kind, settings]) => {
    if (!targets.has(kind)) return [];
    checkValues(kind, settings, targets, report);
    // Kinds that refer to each other, or to themselves: what is wrong was reported the first time.
    if (!isDeepStrictEqual(used.get(kind), withValues(settings.fields, targets)))
      modelled(kind, settings, () => undefined);
    return targets.get(kind) ?? [];
  });
}

type Targets = ReadonlyMap<string, KindModel>;

/** A field has one ID, not the external name with all parts. */
function withValues(fields: KindSettings['fields'], targets: Targets): KindSettings['fields'] {
  const changed = Object.entries(fields).flatMap(([as, field]) => {
    const value =
      field.reference?.value === undefined ? lastPart(targets.get(field.reference?.kind ?? '')) : undefined;
    return value === undefined || field.reference === undefined
      ? []
      : [[as, { ...field, reference: { ...field.reference, value } }] as const];
  });
  return changed.length === 0 ? fields : { ...fields, ...Object.fromEntries(changed) };
}

/** Where objects of a kind have the last part of their ID, if it has several. */
function lastPart(model: KindModel | undefined): string | undefined {
  const parts = model?.definition.id.parts ?? [];
  const last = parts.at(-1);
  if (parts.length < 2 || last === undefined) return undefined;
  const { from, parameter, field = parameter } = last;
  if (from === 'name') return 'metadata.name';
  if (from === 'spec') return `spec.forProvider.${field}`;
  const shown = camelCase(field);
  return ownMember(propertiesOf(model?.atProvider), shown) === undefined
    ? undefined
    : `status.atProvider.${shown}`;
}

function checkValues(
  kind: string,
  settings: KindSettings,
  targets: Targets,
  report: ModelOptions['report'],
): void {
  for (const [as, { reference }] of Object.entries(settings.fields)) {
    const problem = reference === undefined ? undefined : problemOf(reference, targets);
    if (problem !== undefined) report(`kinds.${kind}.fields.${as}.reference`, problem);
  }
}

function problemOf({ kind, value }: ReferenceSettings, targets: Targets): string | undefined {
  const target = targets.get(kind);
  if (value === undefined || target === undefined || value.startsWith('metadata.')) return undefined;
  const [, where, name = ''] = /^(spec\.forProvider|status\.atProvider)\.([^.]+)/.exec(value) ?? [];
  if (where === undefined)
    return `value ${value} is no path such as metadata.name, spec.forProvider.<field> or status.atProvider.<field>`;
  const known = propertiesOf(where === 'spec.forProvider' ? target.forProvider : target.atProvider);
  return ownMember(known, name) === undefined
    ? `${kind}: ${unknownName(`field of ${where}`, name, Object.keys(known))}`
    : undefined;
}

const propertiesOf = (schema: KindModel['atProvider'] | undefined) =>
  isObject(schema?.properties) ? schema.properties : {};
