import { isObject, ownMember } from '../../base/json/json-value.ts';
import type { ResourceType } from '../object/resource-type.ts';
import { problemsIn, type StructuralSchema, withDefaults } from '../object/structural-schema.ts';
import type { Admission, AnyObject } from './memory-store.ts';

/** What of a CRD the memory server reads. */
export interface CustomResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema?: object };
    }[];
  };
}

type Preserving = StructuralSchema & { readonly 'x-kubernetes-preserve-unknown-fields'?: boolean };

/**
 * What an API server does with objects of CRDs, for `createMemoryClient`: it sets defaults, removes fields that the schema does not have,
 * and refuses what the schema does not allow. CEL rules, formats and patterns are not checked.
 */
export function crdAdmission(
  crds: readonly CustomResourceDefinition[],
): (type: ResourceType) => Admission | undefined {
  return ({ group, version, kind }) => {
    const crd = crds.find(({ spec }) => spec.group === group && spec.names.kind === kind);
    const schema: StructuralSchema | undefined = crd?.spec.versions.find(({ name }) => name === version)
      ?.schema?.openAPIV3Schema;
    if (schema === undefined) return undefined;
    // Its own fields are those of every object.
    const { metadata: _, ...properties } = schema.properties ?? {};
    const own: StructuralSchema = { ...schema, properties };
    const around = (
      { apiVersion, kind: as, metadata, ...rest }: AnyObject,
      change: (value: object) => unknown,
    ) => ({ apiVersion, kind: as, metadata, ...(change(rest) as object) }) as AnyObject;
    return {
      defaulted: (object) => around(object, (value) => withDefaults(own, value)),
      admit: ({ operation, next, refuse }) => {
        if (operation === 'delete') return next;
        const kept = around(next, (value) => pruned(own, value));
        const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = kept;
        const problems = problemsIn(own, rest);
        if (problems.length > 0) refuse(422, 'Invalid', problems.join('; '));
        return kept;
      },
    };
  };
}

function pruned(schema: Preserving, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => pruned(schema.items ?? {}, item));
  const { properties, additionalProperties } = schema;
  if (!isObject(value) || (properties === undefined && additionalProperties === undefined)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const field = ownMember(properties ?? {}, name) ?? additionalProperties;
      if (field !== undefined) return [[name, pruned(field, member)]];
      return schema['x-kubernetes-preserve-unknown-fields'] === true ? [[name, member]] : [];
    }),
  );
}
