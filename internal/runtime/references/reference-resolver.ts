import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Reference, ReferenceTarget, Selector } from './reference.ts';
import { resolveMany } from './resolve-many.ts';
import { resolveOne } from './resolve-one.ts';
import { createTargetReader } from './target-reader.ts';

/** Resolves the references of one object. Fails where something required is not there, or has no value yet. */
export interface ReferenceResolver {
  /** A field with one value. What comes back takes the place of value and reference. */
  one<T extends KubeObject>(field: OneField<T>): Promise<ResolvedOne>;
  /** A field with a list; values come back sorted and without repeats, references in the same order. */
  many<T extends KubeObject>(field: ManyField<T>): Promise<ResolvedMany>;
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

export interface ReferenceResolverOptions {
  readonly client: KubeClient;
  /** The object that refers. */
  readonly from: KubeObject;
  readonly signal: AbortSignal;
}

export function createReferenceResolver(options: ReferenceResolverOptions): ReferenceResolver {
  const reader = createTargetReader(options);
  return {
    one: (field) => resolveOne(field, options.from, reader),
    many: (field) => resolveMany(field, options.from, reader),
  };
}
