/**
 * References fill a field from another object, by name or by selector. The kind states for each such field the type
 * of the target and the value that it takes. Resolution is that of `pkg/reference` in crossplane-runtime.
 */
import type { KubeObject } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';

export interface ReferencePolicy {
  /** `Optional`: a missing target is no error, and the field stays empty. Default `Required`. */
  readonly resolution?: 'Required' | 'Optional';
  /** `Always`: at every reconcile. Default `IfNotPresent`: while the field is empty. */
  readonly resolve?: 'Always' | 'IfNotPresent';
}

export interface Reference {
  readonly name: string;
  /** Default: that of the object that refers. */
  readonly namespace?: string;
  readonly policy?: ReferencePolicy;
}

export interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Only objects with the same controller as the referring object. */
  readonly matchControllerRef?: boolean;
  /** Default: that of the object that refers. */
  readonly namespace?: string;
  readonly policy?: ReferencePolicy;
}

/** The target of a field. */
export interface ReferenceTarget<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>;
  /** The value for the field; `undefined` or empty if there is none yet. */
  readonly extract: (object: T) => string | undefined;
}

export interface OneField<T extends KubeObject> {
  readonly value: string | undefined;
  readonly ref: Reference | undefined;
  readonly selector: Selector | undefined;
  readonly to: ReferenceTarget<T>;
}
export interface ResolvedOne {
  readonly value: string | undefined;
  readonly ref: Reference | undefined;
}

export interface ManyField<T extends KubeObject> {
  readonly values: readonly string[] | undefined;
  readonly refs: readonly Reference[] | undefined;
  readonly selector: Selector | undefined;
  readonly to: ReferenceTarget<T>;
}
export interface ResolvedMany {
  readonly values: readonly string[];
  readonly refs: readonly Reference[];
}

export const messageNoMatches = 'no resources matched selector';
export const messageNoValue = 'referenced field was empty (referenced resource may not yet be ready)';

export const messageForeignSecret = (namespace: string) =>
  `a resource of the namespace ${JSON.stringify(namespace)} can refer to Secrets of that one alone`;

export const isOptional = (of: { readonly policy?: ReferencePolicy } | undefined): boolean =>
  of?.policy?.resolution === 'Optional';
export const isAlways = (of: { readonly policy?: ReferencePolicy } | undefined): boolean =>
  of?.policy?.resolve === 'Always';
