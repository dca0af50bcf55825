import type { Role } from './roles.ts';

/** The client of a request. */
export interface Caller {
  /** The name of the user; undefined if nothing says it. */
  readonly user: string | undefined;
  readonly roles: ReadonlySet<Role>;
}
