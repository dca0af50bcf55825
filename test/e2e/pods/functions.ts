import type { ExampleObject } from './folder-objects.ts';
import type { PodsOptions } from './pods-options.ts';

/** The names of the functions in a Composition's pipeline. */
export function functionsOf({ content }: ExampleObject): string[] {
  const { pipeline } = (content as { spec: { pipeline: readonly { functionRef: { name: string } }[] } }).spec;
  return pipeline.map(({ functionRef }) => functionRef.name);
}

/** Makes the packages of Function objects installable. Returns the reason for each that cannot be had, by name. */
export async function addFunctions(
  { cluster }: PodsOptions,
  functions: readonly ExampleObject[],
): Promise<ReadonlyMap<string, string>> {
  const unavailable = new Map<string, string>();
  for (const { name, content } of functions) {
    const { package: reference } = (content as { spec: { package: string } }).spec;
    await cluster.addFunction(reference).catch((error: Error) => unavailable.set(name, error.message));
  }
  return unavailable;
}
