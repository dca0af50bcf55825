import type { ObjectType } from '../../values/value.ts';

/** A type of which all objects have content of type T; values have it as unknown content. */
export const objectType = <T>(type: ObjectType<T>): ObjectType<unknown> => type as ObjectType<unknown>;
