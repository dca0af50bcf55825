/**
 * The limits of `maxParallelByComponent` by component in lower case: keys of the configuration file may have any case, and so may
 * the names of components.
 */
export const componentLimits = (limits: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(limits).map(([component, limit]) => [component.toLowerCase(), limit]));
