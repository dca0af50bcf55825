import type { KubeObject } from '../../kube/object/object.ts';
import type { ManyField, OneField, ResolvedMany, ResolvedOne } from './reference.ts';
import { resolveMany } from './resolve-many.ts';
import { resolveOne } from './resolve-one.ts';
import { createTargetReader, type TargetReaderOptions } from './target-reader.ts';

/** Resolves references of one object. Waits for a required target that is missing or has no value yet. */
export interface ReferenceResolver {
  /** A field with one value. Returns the new value and reference. */
  one<T extends KubeObject>(field: OneField<T>): Promise<ResolvedOne>;
  /** A field with a list. Values are unique and in the order of the references; those of a selector are sorted. */
  many<T extends KubeObject>(field: ManyField<T>): Promise<ResolvedMany>;
}

export function createReferenceResolver(options: TargetReaderOptions): ReferenceResolver {
  const reader = createTargetReader(options);
  return {
    one: (field) => resolveOne(field, options.from, reader),
    many: (field) => resolveMany(field, options.from, reader),
  };
}
