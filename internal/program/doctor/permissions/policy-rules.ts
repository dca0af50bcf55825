import type { AccessQuestion } from '../../../framework/kube/client/access-review.ts';

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Default: all objects. */
  readonly resourceNames?: readonly string[];
}

type Names = Pick<PolicyRule, 'resourceNames'>;

/** The resource in a rule: `providerconfigs/status`. */
export const ruleResource = ({ type, subresource }: AccessQuestion): string =>
  subresource === undefined ? type.plural : `${type.plural}/${subresource}`;

/** The fewest rules that grant exactly these rights, in the given order. Their namespaces are ignored. */
export function rulesFor(rights: readonly AccessQuestion[]): PolicyRule[] {
  const verbs = new Map<string, { group: string; resource: string; names: Names; verbs: Set<string> }>();
  for (const right of rights) {
    const { group } = right.type;
    const resource = ruleResource(right);
    const names: Names = right.name === undefined ? {} : { resourceNames: [right.name] };
    const key = `${group}/${resource}/${right.name ?? ''}`;
    const entry = verbs.get(key) ?? { group, resource, names, verbs: new Set<string>() };
    entry.verbs.add(right.verb);
    verbs.set(key, entry);
  }
  const rules = new Map<string, PolicyRule & { readonly resources: string[] }>();
  for (const entry of verbs.values()) {
    const all = [...entry.verbs];
    const key = [entry.group, ...(entry.names.resourceNames ?? []), ...all].join(' ');
    const rule = rules.get(key) ?? { apiGroups: [entry.group], resources: [], verbs: all, ...entry.names };
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
