/**
 * What a Shoot must become: it has the fields of the rendering, it has no field of the rendering before that this one does not have,
 * and everything else stays. Pure, and the one place that says whether a Shoot differs from its Runtime.
 */
import type { Shoot, ShootSpec } from '../../../../apis/gardener/kinds.ts';
import { isObject, jsonEqual, ownMember } from '../../../framework/base/index.ts';
import { annotationRuntimeGeneration } from '../metadata.ts';
import { canonicalValue, isEmpty, isEmptyObject, isMap } from './canonical-value.ts';
import {
  type AppliedFields,
  annotationAppliedFields,
  appliedFieldsText,
  digestOf,
  fieldsOf,
  keyOfList,
  membersOf,
} from './shoot-fields.ts';

/** A field that must change. */
export interface Difference {
  readonly path: readonly string[];
  /** The last rendering had this value too, so others changed it. */
  readonly isDrift: boolean;
}

export interface ShootUpdate {
  /** The Shoot as it must be, without the record of what was applied. Shares parts with the arguments. */
  readonly shoot: Shoot;
  /** Without the annotations that tell what was applied. */
  readonly differences: readonly Difference[];
}

export interface UpdateOptions {
  /**
   * What the last rendering set. Undefined: it is not known, as of a Shoot of a program that writes no records; then every difference
   * is drift, and fields that only the Shoot has stay.
   */
  readonly applied: AppliedFields | undefined;
  /** Leaves what others changed as it is. Default false. */
  readonly leaveDrift?: boolean;
  /** Leaves everything as it is but what others changed. Default false. */
  readonly onlyDrift?: boolean;
  /**
   * Whether a field is of others. What is left of a group of fields that the rendering no longer has goes unless it is: a default of
   * Gardener. Default: all are.
   */
  readonly isOfOthers?: (path: readonly string[]) => boolean;
}

export function planUpdate(live: Shoot, wanted: Shoot, options: UpdateOptions): ShootUpdate {
  const differences: Difference[] = [];
  const found = partsOf(live);
  const parts = partsOf(wanted);
  const context: MergeContext = {
    isKnown: options.applied !== undefined,
    leavesDrift: options.leaveDrift === true,
    onlyDrift: options.onlyDrift === true,
    isOfOthers: options.isOfOthers ?? (() => true),
    report: (path, isDrift) => void differences.push({ path, isDrift }),
  };
  const root = { live: found, wanted: parts, applied: options.applied };
  const merged = mergeObject(root, [], context) as { metadata?: Shoot['metadata']; spec?: ShootSpec };
  const { managedFields: _, ...metadata } = live.metadata;
  const annotations = { ...merged.metadata?.annotations };
  return {
    shoot: {
      ...live,
      metadata: { ...metadata, ...merged.metadata, annotations },
      ...(merged.spec === undefined ? {} : { spec: merged.spec }),
    },
    differences,
  };
}

/** The Shoot with the record of what was applied, by the rendering of a patch. */
export function withRecord(shoot: Shoot, wanted: Shoot): Shoot {
  const generation = wanted.metadata.annotations?.[annotationRuntimeGeneration] ?? '';
  const text = appliedFieldsText(recordOf(partsOf(wanted)), generation);
  const annotations = {
    ...shoot.metadata.annotations,
    [annotationRuntimeGeneration]: generation,
    ...(text === undefined ? {} : { [annotationAppliedFields]: text }),
  };
  return { ...shoot, metadata: { ...shoot.metadata, annotations } };
}

/** The Shoot with the record that another version of it has. */
export function withRecordOf(shoot: Shoot, live: Shoot): Shoot {
  const annotations = { ...shoot.metadata.annotations };
  for (const name of [annotationRuntimeGeneration, annotationAppliedFields]) {
    const value = live.metadata.annotations?.[name];
    if (value !== undefined) annotations[name] = value;
  }
  return { ...shoot, metadata: { ...shoot.metadata, annotations } };
}

const recordOf = (parts: object): AppliedFields => {
  const fields = fieldsOf(parts);
  return typeof fields === 'string' ? {} : fields;
};

/** The parts of a Shoot that a rendering sets. The annotations that tell what was applied are not compared. */
function partsOf({ metadata, spec }: Shoot): Readonly<Record<string, unknown>> {
  const {
    [annotationRuntimeGeneration]: _generation,
    [annotationAppliedFields]: _fields,
    ...annotations
  } = metadata.annotations ?? {};
  return { metadata: { labels: metadata.labels, annotations }, spec };
}

interface MergeContext {
  readonly isKnown: boolean;
  readonly leavesDrift: boolean;
  readonly onlyDrift: boolean;
  readonly isOfOthers: (path: readonly string[]) => boolean;
  readonly report: (path: readonly string[], isDrift: boolean) => void;
}

interface Sides {
  readonly live: unknown;
  readonly wanted: unknown;
  readonly applied: string | AppliedFields | undefined;
}

/** What the field must be; undefined: it must not be there. */
function merge(sides: Sides, path: readonly string[], context: MergeContext): unknown {
  const { live, wanted, applied } = sides;
  const field = path.at(-1) ?? '';
  if (isEmpty(wanted)) {
    // An object without fields is no difference from none, but what a new Shoot has.
    const empty = isEmptyObject(wanted, field) ? wanted : undefined;
    if (applied === undefined || context.onlyDrift) return live ?? empty;
    if (isEmpty(live) && (empty !== undefined || !isEmptyObject(live, field))) return live ?? empty;
    const left = without({ live, applied }, path, context);
    if (!jsonEqual(left, live)) context.report(path, false);
    return left ?? empty;
  }
  const isGroup =
    membersOf(wanted, field) !== undefined && (isEmpty(live) || membersOf(live, field) !== undefined);
  if (isGroup)
    return Array.isArray(wanted) ? mergeList(sides, path, context) : mergeObject(sides, path, context);
  return mergeValue(sides, path, context);
}

function mergeObject(
  { live, wanted, applied }: Sides,
  path: readonly string[],
  context: MergeContext,
): unknown {
  const [own, other] = [live, wanted].map((each) => (isObject(each) ? each : {}));
  const recorded = typeof applied === 'object' ? applied : undefined;
  const names = new Set([...Object.keys(own ?? {}), ...Object.keys(other ?? {})]);
  const members = [...names].flatMap((name) => {
    const sides = {
      live: ownMember(own, name),
      wanted: ownMember(other, name),
      applied: ownMember(recorded, name),
    };
    const member = merge(sides, [...path, name], context);
    return member === undefined ? [] : [[name, member] as const];
  });
  const merged = Object.fromEntries(withoutAlternatives(members, other ?? {}, path, context));
  return members.length === 0 ? undefined : merged;
}

/** One of two ways to authenticate users replaces the other: Gardener refuses both. */
function withoutAlternatives(
  members: readonly (readonly [string, unknown])[],
  wanted: Readonly<Record<string, unknown>>,
  path: readonly string[],
  context: MergeContext,
) {
  if (context.onlyDrift) return members;
  if (isEmpty(ownMember(wanted, 'structuredAuthentication')) || !isEmpty(ownMember(wanted, 'oidcConfig')))
    return members;
  return members.filter(([name]) => {
    if (name === 'oidcConfig') context.report([...path, name], false);
    return name !== 'oidcConfig';
  });
}

/** Entries keep the order of the Shoot; new ones come last. */
function mergeList(
  { live, wanted, applied }: Sides,
  path: readonly string[],
  context: MergeContext,
): unknown {
  const field = path.at(-1) ?? '';
  const own = membersOf(live, field) ?? new Map<string, unknown>();
  const other = membersOf(wanted, field) ?? new Map<string, unknown>();
  const recorded = typeof applied === 'object' ? applied : undefined;
  return [...new Set([...own.keys(), ...other.keys()])].flatMap((name) => {
    const record = ownMember(recorded, name);
    if (!other.has(name) && record !== undefined && !context.onlyDrift) {
      context.report([...path, name], false);
      return [];
    }
    const entry = other.get(name);
    if (!own.has(name)) {
      // A part of an entry is no entry.
      const isDrift = !context.isKnown || jsonEqual(record, fieldsOf(entry, name, field));
      if (!isDrift && context.onlyDrift) return [];
      context.report([...path, name], isDrift);
      return isDrift && context.leavesDrift ? [] : [entry];
    }
    const merged = merge({ live: own.get(name), wanted: entry, applied: record }, [...path, name], context);
    return isEmpty(merged) ? [] : [merged];
  });
}

/**
 * A value that the last rendering set too may have more members by now: defaults of Gardener inside of lists and documents. One that
 * the rendering has changed must be equal, so that what was taken out of it goes.
 */
function mergeValue(
  { live, wanted, applied }: Sides,
  path: readonly string[],
  context: MergeContext,
): unknown {
  // Most are equal as they are, and need no canonical form and no digest.
  if (jsonEqual(live, wanted)) return live;
  const [field, parent] = [path.at(-1) ?? '', path.at(-2) ?? ''];
  const digest = typeof applied === 'string' ? applied : undefined;
  const isDrift = !context.isKnown || digest === digestOf(wanted, field, parent);
  const [own, other] = [live, wanted].map((each) => canonicalValue(each, field, parent));
  if (isDrift ? covers(own, other) : jsonEqual(own, other) || context.onlyDrift) return live;
  context.report(path, isDrift);
  return isDrift && context.leavesDrift ? live : wanted;
}

/** The value without the fields of the record, and without defaults beside them; undefined: nothing is left. */
function without(
  { live, applied }: Pick<Sides, 'live' | 'applied'>,
  path: readonly string[],
  context: MergeContext,
): unknown {
  const field = path.at(-1) ?? '';
  const members = membersOf(live, field);
  if (members === undefined || typeof applied === 'string')
    return applied === undefined && context.isOfOthers(path) ? live : undefined;
  const left = [...members].flatMap(([name, member]) => {
    const record = ownMember(applied, name);
    // Gardener has no defaults in a map whose keys users choose.
    const isKept = record === undefined && isMap(field);
    const kept = isKept ? member : without({ live: member, applied: record }, [...path, name], context);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  if (left.length === 0) return undefined;
  return keyOfList(field) !== undefined && Array.isArray(live)
    ? left.map(([, member]) => member)
    : Object.fromEntries(left);
}

/** Whether `live` has every value of `wanted`. Lists of objects with names are compared by name, others by position. */
function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return false;
    return wanted.every((item, index) => {
      const name = isObject(item) ? item.name : undefined;
      return covers(
        name === undefined ? live[index] : live.find((each) => isObject(each) && each.name === name),
        item,
      );
    });
  }
  if (!isObject(wanted)) return jsonEqual(live, wanted);
  return (
    isObject(live) && Object.entries(wanted).every(([name, member]) => covers(ownMember(live, name), member))
  );
}
