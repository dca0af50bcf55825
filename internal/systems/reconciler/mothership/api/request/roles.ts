/**
 * What a client may do. Each role includes those before it, except `component`, which is for component reconcilers:
 *
 * - `viewer`    reads
 * - `operator`  registers, changes and deletes clusters: the environment broker
 * - `admin`     sets statuses, stops and deletes runs, resumes rollouts
 * - `component` reports the occupancy of its workers
 */
export type Role = 'viewer' | 'operator' | 'admin' | 'component';

/** Roles of users in descending order, each with what it includes. */
const INCLUDED: Readonly<Record<Role, readonly Role[]>> = {
  admin: ['admin', 'operator', 'viewer', 'component'],
  operator: ['operator', 'viewer'],
  viewer: ['viewer'],
  component: ['component'],
};

export const everyRole: ReadonlySet<Role> = new Set(INCLUDED.admin);

/** Names of groups by role. */
export type RoleGroups = Readonly<Record<'viewer' | 'operator' | 'admin', string>>;

/** The roles of a user in these groups. */
export function rolesOf(groups: readonly string[], names: RoleGroups): ReadonlySet<Role> {
  const own = (['viewer', 'operator', 'admin'] as const).filter((role) => groups.includes(names[role]));
  return new Set(own.flatMap((role) => INCLUDED[role]));
}
