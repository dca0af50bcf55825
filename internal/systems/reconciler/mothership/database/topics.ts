/** Channels of LISTEN/NOTIFY. A notification is a hint: it may be lost, and intervals remain as backstop. */
export const TOPICS = [
  /** A cluster was registered, changed or marked for deletion; with the runtime id. */
  'mothership_clusters',
  /** Operations can be claimed: created, released, or their component can be asked again; with the scheduling id. */
  'mothership_operations',
] as const;

export type Topic = (typeof TOPICS)[number];
