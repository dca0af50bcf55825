import type { KubeObject } from '../../internal/framework/kube/object/object.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [key: string]: unknown;
}

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope?: 'Namespaced' | 'Cluster';
    readonly names: { readonly kind: string; readonly plural: string };
    readonly claimNames?: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly referenceable: boolean;
      readonly schema: { readonly openAPIV3Schema: Schema };
      readonly additionalPrinterColumns?: readonly unknown[];
    }[];
  };
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const anythings = { type: 'array', items: anything };
const text = { type: 'string' };

/** What Crossplane adds to a schema for itself; tests do not depend on these fields, so they accept anything. */
const machinery = {
  modern: { spec: { crossplane: anything }, status: { conditions: anythings, crossplane: anything } },
  legacy: {
    spec: {
      claimRef: anything,
      compositionRef: anything,
      compositionRevisionRef: anything,
      compositionSelector: anything,
      compositionUpdatePolicy: text,
      resourceRefs: anythings,
      writeConnectionSecretToRef: anything,
    },
    status: {
      conditions: anythings,
      connectionDetails: anything,
      claimConditionTypes: { type: 'array', items: text },
    },
  },
  claim: {
    spec: {
      compositionRef: anything,
      compositionRevisionRef: anything,
      compositionSelector: anything,
      compositionUpdatePolicy: text,
      compositeDeletePolicy: text,
      resourceRef: anything,
      writeConnectionSecretToRef: anything,
    },
    status: { conditions: anythings, connectionDetails: anything },
  },
} as const;

/** The CRDs that Crossplane makes of a CompositeResourceDefinition: that of the composite resource, and of its claim. */
export function crdsOf(object: KubeObject): KubeObject[] {
  const { spec } = object as Definition;
  const crd = (
    names: { readonly kind: string; readonly plural: string },
    scope: 'Namespaced' | 'Cluster',
    { spec: ofSpec, status: ofStatus }: (typeof machinery)[keyof typeof machinery],
  ) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${spec.group}` },
    spec: {
      group: spec.group,
      names: { ...names, singular: names.kind.toLowerCase(), listKind: `${names.kind}List` },
      scope,
      versions: spec.versions.map(({ name, served, referenceable, schema, additionalPrinterColumns }) => ({
        name,
        served,
        storage: referenceable,
        subresources: { status: {} },
        ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns }),
        schema: {
          openAPIV3Schema: extended(schema.openAPIV3Schema, { spec: ofSpec, status: ofStatus }),
        },
      })),
    },
  });
  if (object.apiVersion.endsWith('/v2'))
    return [crd(spec.names, spec.scope ?? 'Namespaced', machinery.modern)];
  const claims = spec.claimNames === undefined ? [] : [crd(spec.claimNames, 'Namespaced', machinery.claim)];
  return [crd(spec.names, 'Cluster', machinery.legacy), ...claims];
}

function extended(schema: Schema, more: Readonly<Record<'spec' | 'status', object>>): Schema {
  const { spec, status, ...properties } = schema.properties ?? {};
  const joined = (part: Schema | undefined, own: object) => ({
    type: 'object',
    ...part,
    properties: { ...part?.properties, ...own },
  });
  return {
    ...schema,
    properties: { ...properties, spec: joined(spec, more.spec), status: joined(status, more.status) },
  };
}
