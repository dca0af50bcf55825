import { type Budget, compareText } from '../gotemplate/index.ts';
import { StructReader } from './chart/struct-reader.ts';
import type { Outputs } from './engine/render-templates.ts';
import { HelmError } from './render-request.ts';
import { YamlError } from './yaml/cursor.ts';
import { decodeYaml } from './yaml/decode.ts';

export interface Manifest {
  /** Path of the template. */
  readonly source: string;
  readonly text: string;
  readonly kind: string;
}

const HOOK = 'helm.sh/hook';

/** The documents of all templates in the order in which Helm installs them, without hooks. @throws HelmError */
export function sortManifests(outputs: Outputs, budget: Budget): Manifest[] {
  const manifests: Manifest[] = [];
  for (const source of [...outputs.keys()].sort(compareText)) {
    for (const text of splitManifests(outputs.get(source) ?? '')) {
      const { kind, isHook } = readHead(source, text, budget);
      if (!isHook) manifests.push({ source, text, kind });
    }
  }
  return manifests.sort(compareKinds);
}

function readHead(
  source: string,
  text: string,
  budget: Budget,
): { readonly kind: string; readonly isHook: boolean } {
  try {
    const head = new StructReader(decodeYaml(text, budget, { keepsIntegers: true }), 'SimpleHead');
    head.text('apiVersion');
    const kind = head.text('kind');
    const metadata = head.get('metadata');
    if (metadata === null) return { kind, isHook: false };
    const reader = new StructReader(metadata, 'SimpleHead.metadata');
    reader.text('name');
    return { kind, isHook: reader.textMap('annotations')?.has(HOOK) ?? false };
  } catch (error) {
    if (error instanceof YamlError) {
      throw new HelmError(`YAML parse error on ${source}: error converting YAML to JSON: ${error.message}`, {
        cause: error,
      });
    }
    if (error instanceof HelmError) throw new HelmError(`YAML parse error on ${source}: ${error.message}`);
    throw error;
  }
}

const installPositionOf = (kind: string): number => INSTALL_ORDER.get(kind) ?? Infinity;

/** Known kinds in their order, then others by name. */
function compareKinds({ kind: one }: Manifest, { kind: other }: Manifest): number {
  const difference = installPositionOf(one) - installPositionOf(other);
  if (Number.isNaN(difference)) return compareText(one, other);
  return difference;
}

/** The kinds that Helm installs in this order; others come after them. */
const KINDS = [
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

const INSTALL_ORDER: ReadonlyMap<string, number> = new Map(KINDS.map((kind, index) => [kind, index]));

/** The documents of a template's output: what is between lines that begin with `---`. Empty ones are left out. */
export function splitManifests(text: string): string[] {
  return text
    .replace(LEADING_SPACE, '')
    .split(/^---[ \t]*/m)
    .map((document) => document.replace(LEADING_SPACE, ''))
    .filter((document) => document !== '');
}

/** White space as Go defines it. */
const LEADING_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
