import type { GardenerSchemas } from '../../../../../apis/gardener/kinds.ts';

/** An extension of Gardener in a Shoot. */
export type Extension = GardenerSchemas['Extension'];
