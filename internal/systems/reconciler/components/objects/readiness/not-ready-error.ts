import { ProviderError } from '../../../../../framework/base/index.ts';

import type { Awaited } from '../../model/deployer.ts';
import { nameOf } from '../prepared-object.ts';

/** Objects named in a message; all others are counted. */
const MAX_NAMED = 10;

/** Objects did not become ready in time, or were not deleted in time, or can no longer become ready (`terminal`). */
export class NotReadyError extends ProviderError {
  readonly awaited: readonly Awaited[];

  constructor(
    what: string,
    awaited: readonly Awaited[],
    options: ErrorOptions & { readonly failed?: boolean } = {},
  ) {
    super(options.failed ? 'terminal' : 'transient', `${what}: ${describeAwaited(awaited)}`, options);
    this.awaited = awaited;
  }
}

/** `Deployment shop/web (0 of 1 replicas are ready), …` */
export function describeAwaited(awaited: readonly Awaited[]): string {
  const named = awaited.slice(0, MAX_NAMED).map(({ object, reason }) => `${nameOf(object)} (${reason})`);
  const others = awaited.length - named.length;
  return [...named, ...(others > 0 ? [`${others} others`] : [])].join(', ');
}
