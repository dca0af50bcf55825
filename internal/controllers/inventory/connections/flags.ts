import { boolean, type FlagTable, type FlagValues, integer } from '../../../process/flags/flag.ts';

/** Flags of `start` about HANA Cloud. */
export const inventoryFlags = {
  'max-external-calls': integer(32, 1, 10_000, 'calls to the HANA Cloud API in flight at the same time'),
  'token-cache': boolean(true, 'keep OAuth tokens in memory until they expire'),
} satisfies FlagTable;

export type InventoryFlags = FlagValues<typeof inventoryFlags>;
