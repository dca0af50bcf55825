import { channel } from 'node:diagnostics_channel';
import type { KyselyPlugin } from 'kysely';

/** A statement that is about to be sent. */
export interface ObservedStatement {
  /** As Kysely names it: `InsertQueryNode`, `RawNode`. */
  readonly kind: string;
}

/** A channel of `node:diagnostics_channel` on which each statement is published if it has subscribers, as in tests. */
export const observedStatements = channel('provider-kyma.statement');

/** Publishes statements, and changes nothing. */
export const observingStatements: KyselyPlugin = {
  transformQuery: ({ node }) => {
    if (observedStatements.hasSubscribers)
      observedStatements.publish({ kind: node.kind } satisfies ObservedStatement);
    return node;
  },
  transformResult: async ({ result }) => result,
};
