import { isObject } from '../../../framework/base/index.ts';

import type { InstanceMapping } from './hana-cloud-client.ts';

export type ParsedMappingList =
  | { readonly mappings: readonly InstanceMapping[] }
  /** The first difference from the contract: `mappings[3].primaryID is a number, not a string`. */
  | { readonly difference: string };

/**
 * Parses the JSON value of a list; undefined for an empty body. Without a schema validator, which would be slower and less
 * precise in its messages for this one response. A test compares it with the schema `InstanceMappingList` of openapi.yaml.
 */
export function parseMappingList(root: unknown): ParsedMappingList {
  if (root === undefined) return { difference: 'the body is empty' };
  if (!isObject(root)) return { difference: `the body is ${nameOf(root)}, not an object` };
  const { mappings } = root;
  if (!Array.isArray(mappings)) return { difference: `mappings is ${nameOf(mappings)}, not an array` };
  const parsed: InstanceMapping[] = [];
  for (const [index, item] of mappings.entries()) {
    const result = parseMapping(item, `mappings[${index}]`);
    if ('difference' in result) return result;
    parsed.push(result);
  }
  return { mappings: parsed };
}

function parseMapping(item: unknown, at: string): InstanceMapping | { readonly difference: string } {
  if (!isObject(item)) return { difference: `${at} is ${nameOf(item)}, not an object` };
  const { platform, primaryID, secondaryID, isDefault } = item;
  for (const [name, value] of Object.entries({ platform, primaryID })) {
    if (typeof value !== 'string') return { difference: `${at}.${name} is ${nameOf(value)}, not a string` };
    if (value === '') return { difference: `${at}.${name} is empty` };
  }
  if (secondaryID !== undefined && secondaryID !== null && typeof secondaryID !== 'string') {
    return { difference: `${at}.secondaryID is ${nameOf(secondaryID)}, not a string` };
  }
  if (isDefault !== undefined && typeof isDefault !== 'boolean') {
    return { difference: `${at}.isDefault is ${nameOf(isDefault)}, not a boolean` };
  }
  return {
    platform: String(platform),
    primaryID: String(primaryID),
    ...(secondaryID ? { secondaryID } : {}),
    isDefault: isDefault ?? false,
  };
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
