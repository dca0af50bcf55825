/** Names of components with `SKIP_COMPONENT_<NAME>` set to `true` or `1`, in any case: in lower case, with hyphens. */
export function skippedComponents(env: Readonly<Record<string, string | undefined>>): string[] {
  const prefix = 'SKIP_COMPONENT_';
  return Object.entries(env)
    .filter(([name, value = '']) => name.startsWith(prefix) && /^(true|1)$/i.test(value))
    .map(([name]) => name.slice(prefix.length).toLowerCase().replaceAll('_', '-'));
}
