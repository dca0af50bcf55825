import type { Mapping, MappingKey } from './store.ts';

/**
 * Beside each mapping that a client creates, those of another cluster to the same namespace, and to another namespace of the same
 * cluster. Clients see them; the store, with which tests compare, has none. A deletion of one is a violation.
 */
export interface ForeignMappings {
  of(instance: string): readonly Mapping[];
  place(instance: string, mapping: Mapping): void;
  /** Whether the key is that of one; it is a violation then. */
  isHit(instance: string, key: MappingKey): boolean;
  violations(): string[];
  clear(): void;
}

/** @param isOn false: there are none */
export function createForeignMappings(isOn: boolean): ForeignMappings {
  const mappings = new Map<string, Mapping[]>();
  let violations: string[] = [];
  const isSame = (a: MappingKey, b: MappingKey) =>
    a.primaryID === b.primaryID && a.secondaryID === b.secondaryID;
  const of = (instance: string) => mappings.get(instance) ?? [];
  return {
    of,
    place: (instance, mapping) => {
      if (!isOn) return;
      const { primaryID, secondaryID } = mapping;
      const copies = [
        { ...mapping, primaryID: `${primaryID}-of-another`, isDefault: false },
        ...(secondaryID === undefined
          ? []
          : [{ ...mapping, secondaryID: `${secondaryID}-of-another`, isDefault: false }]),
      ];
      const others = of(instance).filter((known) => !copies.some((copy) => isSame(known, copy)));
      mappings.set(instance, [...others, ...copies]);
    },
    isHit: (instance, key) => {
      const isHit = of(instance).some((mapping) => isSame(mapping, key));
      if (isHit) violations.push(`deletes the mapping ${key.primaryID}/${key.secondaryID ?? ''} of another`);
      return isHit;
    },
    violations: () => violations,
    clear: () => {
      mappings.clear();
      violations = [];
    },
  };
}
