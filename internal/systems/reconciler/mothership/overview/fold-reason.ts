/** Ids, hashes and addresses, which differ from cluster to cluster. */
const VARIABLE =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|https?:\/\/[^\s"',;)]+|\b[0-9a-f]{12,64}\b|\d+/gi;

/** The number of an attempt, or of several with the same reason. */
const ATTEMPTS = /^(?:#\d+(?:-#\d+)?: )/;

/** What reasons of one cause have in common: without what differs in numbers, ids and addresses. */
export const foldedReason = (reason: string): string =>
  reason
    .replace(ATTEMPTS, '')
    .replace(VARIABLE, '…')
    .replace(/\u2026(?:[.:]\u2026)+/g, '…')
    .trim();
