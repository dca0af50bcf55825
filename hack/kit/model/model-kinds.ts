/** Makes the models of all kinds of `provider.yaml`: what one says of another needs both. */
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
  const first = Object.entries(file.kinds).map(([kind, settings]) =>
    isBroken(kind) ? undefined : modelKind(kind, settings, options),
  );
  const models = first.filter((model) => model !== undefined);
  const targets = new Map(models.map((model) => [model.kind, model]));
  return models.map((model) => {
    const settings = file.kinds[model.kind];
    if (settings === undefined) return model;
    checkValues(model.kind, settings, targets, report);
    const fields = withValues(settings.fields, targets);
    if (fields === undefined) return model;
    // What is wrong was reported the first time.
    return modelKind(model.kind, { ...settings, fields }, { ...options, report: () => undefined }) ?? model;
  });
}

type Targets = ReadonlyMap<string, KindModel>;

/** A field has one ID, not the external name with all parts; undefined if no reference is to such a kind. */
function withValues(fields: KindSettings['fields'], targets: Targets): KindSettings['fields'] | undefined {
  const changed = Object.entries(fields).flatMap(([as, field]) => {
    const value =
      field.reference?.value === undefined ? lastPart(targets.get(field.reference?.kind ?? '')) : undefined;
    return value === undefined || field.reference === undefined
      ? []
      : [[as, { ...field, reference: { ...field.reference, value } }] as const];
  });
  return changed.length === 0 ? undefined : { ...fields, ...Object.fromEntries(changed) };
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
