/** The permissions of an installed provider: Crossplane's role for its package, and the shipped example. */
import { readFile } from 'node:fs/promises';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import type { Crd } from './install-crds.ts';

const root = new URL('../../', import.meta.url);

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface ClusterRole extends KubeObject {
  readonly rules: readonly Rule[];
}

export interface ClusterRoleBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects: readonly Subject[];
}

/**
 * The rules of Crossplane's ClusterRole for the provider of a package, as its RBAC manager renders them.
 *
 * @param safeStart whether the package declares that capability and Crossplane knows it, as v1 does not
 */
export function crossplaneRules(crds: readonly Crd[], { safeStart }: { safeStart: boolean }): Rule[] {
  const groups = [...new Set(crds.map(({ spec }) => spec.group))];
  const own = groups.map((group) => ({
    apiGroups: [group],
    resources: crds
      .filter(({ spec }) => spec.group === group)
      .flatMap(({ spec: { names } }) => [names.plural, `${names.plural}/status`]),
    verbs: ['get', 'list', 'watch', 'update', 'patch', 'create'],
  }));
  return [
    ...own,
    { apiGroups: groups, resources: ['*/finalizers'], verbs: ['update'] },
    {
      apiGroups: ['', 'coordination.k8s.io'],
      resources: ['secrets', 'configmaps', 'events', 'leases'],
      verbs: ['*'],
    },
    ...(safeStart
      ? [
          {
            apiGroups: ['apiextensions.k8s.io'],
            resources: ['customresourcedefinitions'],
            verbs: ['get', 'list', 'watch'],
          },
        ]
      : []),
  ];
}

/** As Crossplane compares the capability: letters and digits only, case ignored. */
export async function declaresSafeStart(): Promise<boolean> {
  const text = await readFile(new URL('package/crossplane.yaml', root), 'utf8');
  const { spec }: { spec: { capabilities?: string[] } } = parse(text);
  return (
    spec.capabilities?.some((name) => name.replace(/[^a-z0-9]/gi, '').toLowerCase() === 'safestart') ?? false
  );
}

/** examples/provider/rbac.yaml. */
export async function exampleRights(): Promise<{ roles: ClusterRole[]; bindings: ClusterRoleBinding[] }> {
  const text = await readFile(new URL('examples/provider/rbac.yaml', root), 'utf8');
  const objects = parseAllDocuments(text).map((document): KubeObject => document.toJS());
  return {
    roles: objects.filter((object): object is ClusterRole => object.kind === 'ClusterRole'),
    bindings: objects.filter((object): object is ClusterRoleBinding => object.kind === 'ClusterRoleBinding'),
  };
}
