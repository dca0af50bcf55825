/** The content of a source file: one version of a kind, in every scope in which it can be served. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface Position {
  readonly line: number;
  readonly col: number;
}

/** One entry of `x-kubernetes-validations`. A rule that names oldSelf holds for updates only. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly reason?: string;
  /** Which field the error is shown at, relative to where the rule stands. */
  readonly fieldPath?: string;
  /** A rule that names oldSelf holds for creations as well, where oldSelf has no value. */
  readonly optionalOldSelf?: boolean;
  /** The versions that have the rule. Default: all versions of the source. */
  readonly $versions?: readonly string[];
}

/** Schemas that differ between legacy and modern resources, or that every kind repeats; standard-fields.ts. */
export const standardNames = ['conditions', 'providerConfigReference'] as const;
export type StandardName = (typeof standardNames)[number];

/** How a field of the namespaced form differs from the cluster-scoped one. */
export interface NamespacedField {
  /** Not required there, though it is elsewhere. */
  readonly optional?: boolean;
  /** In place of the other description. */
  readonly description?: string;
}

/** A field whose value another managed resource has. */
export interface FieldReference {
  readonly kind: string;
  /** The group of its cluster-scoped form, or of its only form. Default: the one kind of the project with this name. */
  readonly group?: string;
  /** The dotted path of the value in the other resource. Default: its external name. */
  readonly value?: string;
  /** Where it stands in the source. */
  readonly at: Position;
}

/** The part of OpenAPI v3 that structural schemas of CRDs consist of. */
export interface Schema {
  /** What the field is in the namespaced form: `absent`, or otherwise described. Default: the same. */
  readonly $namespaced?: 'absent' | NamespacedField;
  /** The versions that have the field. Default: all versions of the source. */
  readonly $versions?: readonly string[];
  /** Stands for the standard schema of this name; the source's own description, if any, is kept. */
  readonly $standard?: StandardName;
  /** Adds `<name>Ref` or `<name>Refs`, and `<name>Selector`, from which the field is filled. Properties of forProvider, also within it. */
  readonly $reference?: FieldReference;
  /** Stands for a schema of a recorded OpenAPI document: its path relative to the source, `#`, and the name. */
  readonly $openapi?: string;
  readonly description?: string;
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  /** The versions that have the column. Default: all versions of the source. */
  readonly $versions?: readonly string[];
  /** Where it stands in the source. */
  readonly at: Position;
}

/** A scope in which the kind can be served: a CRD of its own. */
export interface Form {
  readonly scope: 'Cluster' | 'Namespaced';
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  /** Whether it is part of the package; a form that is not emitted is only described. */
  readonly emit: boolean;
}

/** Fields that Crossplane removed and that existing manifests still have. */
export const retiredNames = ['publishConnectionDetailsTo'] as const;
export type RetiredName = (typeof retiredNames)[number];

/** A version of a kind, as its CRD lists it. */
export interface Version {
  readonly version: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  /** The warning that users of a deprecated version see, in place of the API server's own. */
  readonly deprecationWarning?: string;
}

/** Where the API server finds a webhook. */
export interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
}

/** How the API server converts objects between versions. `None` changes the apiVersion only. */
export type Conversion =
  | { readonly strategy: 'None' }
  | {
      readonly strategy: 'Webhook';
      readonly service: Service;
      readonly path: string;
      readonly conversionReviewVersions: readonly string[];
    };

interface Common extends Version {
  /** Relative to the repository. */
  readonly file: string;
  /** Where each key of the file has its value. */
  readonly at: Readonly<Record<string, Position>>;
  readonly kind: string;
  readonly plural: string;
  readonly conversion: Conversion;
  readonly description: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly forms: readonly Form[];
  readonly columns: readonly Column[];
  /** Rules at the root of the object; they see metadata.name, spec and status. */
  readonly rules: readonly Rule[];
}

/** A managed resource: the generator adds what all of them have in common. */
export interface ManagedSource extends Common {
  readonly managed: true;
  /** Retired fields that the cluster-scoped form accepts and ignores. */
  readonly accepts: readonly RetiredName[];
  readonly forProvider: Schema;
  readonly atProvider: Schema;
}

/** Any other kind: its schema is passed through. */
export interface PlainSource extends Common {
  readonly managed: false;
  /** The object without apiVersion, kind and metadata. */
  readonly schema: Schema;
}

export type Source = ManagedSource | PlainSource;
