import { parseBoundedJson } from '../../../../framework/base/index.ts';

import type { Property } from './instance-info.ts';

/** The entry that describes the other ones, for libraries that read the Secret as a mounted directory. */
export const DESCRIPTION = '.metadata';

/** The limit of a Secret is 1 MiB. */
const limits = { maxLength: 2 ** 20, maxDepth: 4, maxValues: 50_000 };

/**
 * Whether two values of the entry, in base64, describe the same entries. SAP's BTP service operator writes them in random order,
 * and lists a credential that the data of the instance replaces a second time.
 */
export function describesTheSame(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [propertiesIn(one), propertiesIn(other)];
  return first !== undefined && first === second;
}

/** The sorted properties as one text; undefined if it is no description. */
function propertiesIn(base64: string): string | undefined {
  try {
    const value = parseBoundedJson(Buffer.from(base64, 'base64').toString('utf8'), limits) as Partial<
      Record<'credentialProperties' | 'metaDataProperties', readonly Property[] | null>
    >;
    const properties = [...(value.credentialProperties ?? []), ...(value.metaDataProperties ?? [])];
    const texts = properties.map(({ name, container, format }) => JSON.stringify([name, container, format]));
    return [...new Set(texts)].sort().join();
  } catch {
    return undefined;
  }
}
