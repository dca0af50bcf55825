import type { AccessQuestion } from '../../../kube/client/access-review.ts';

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** The resource in a rule: `providerconfigs/status`. */
export const ruleResource = ({ type, subresource }: AccessQuestion): string =>
  subresource === undefined ? type.plural : `${type.plural}/${subresource}`;

/** The fewest rules that grant exactly these rights, in the given order. */
export function rulesFor(rights: readonly AccessQuestion[]): PolicyRule[] {
  const verbs = new Map<string, { group: string; resource: string; verbs: Set<string> }>();
  for (const right of rights) {
    const { group } = right.type;
    const resource = ruleResource(right);
    const key = `${group}/${resource}`;
    const entry = verbs.get(key) ?? { group, resource, verbs: new Set<string>() };
    entry.verbs.add(right.verb);
    verbs.set(key, entry);
  }
  const rules = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const entry of verbs.values()) {
    const all = [...entry.verbs];
    const key = [entry.group, ...all].join(' ');
    const rule = rules.get(key) ?? { apiGroups: [entry.group], resources: [], verbs: all };
    rule.resources.push(entry.resource);
    rules.set(key, rule);
  }
  return [...rules.values()];
}

/** Whether the rules grant the right, with wildcards as in RBAC. `resourceNames` is ignored. */
export function isGranted(rules: readonly PolicyRule[], right: AccessQuestion): boolean {
  const resource = ruleResource(right);
  const { subresource, type, verb } = right;
  const has = (list: readonly string[], wanted: string) => list.includes('*') || list.includes(wanted);
  return rules.some(
    ({ apiGroups, resources, verbs }) =>
      has(apiGroups, type.group) &&
      has(verbs, verb) &&
      (has(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`))),
  );
}
