/**
 * References let a field be filled from another object: by its name, or by a selector that finds it. The kind says
 * for each such field what it refers to and which of that object's values it takes; what counts as resolved, and when
 * it is looked up again, is the same for all kinds and stands here.
 */
import type { KubeObject } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';

export interface ReferencePolicy {
  /** `Optional`: what cannot be resolved is no error, and the field stays empty. Default `Required`. */
  readonly resolution?: 'Required' | 'Optional';
  /** `Always`: at every reconcile. Default `IfNotPresent`: as long as the field is empty. */
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
  /** Only objects with the same controller as the one that refers. */
  readonly matchControllerRef?: boolean;
  /** Default: that of the object that refers. */
  readonly namespace?: string;
  readonly policy?: ReferencePolicy;
}

/** What a field refers to. */
export interface ReferenceTarget<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>;
  /** The value that the field takes; `undefined` or empty while there is none. */
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
