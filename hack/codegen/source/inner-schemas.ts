import type { Schema } from './source.ts';

export interface InnerSchemas<T> {
  readonly items?: T;
  readonly additionalProperties?: T;
  readonly properties?: Readonly<Record<string, T>>;
}

/**
 * The schemas that a schema consists of, each changed; only those that are there.
 *
 * @param change is given the name of a property
 */
export function innerSchemas<T>(
  schema: Schema,
  change: (inner: Schema, name?: string) => T,
): InnerSchemas<T> {
  const { items, additionalProperties, properties } = schema;
  return {
    ...(items === undefined ? {} : { items: change(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: change(additionalProperties) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, change(property, name)]),
          ),
        }),
  };
}
