import { stringify } from 'yaml';
import type { KubernetesDocument } from './kubernetes-documents.ts';

/** Of a provider, or of a function. */
const METAS = ['v1 Provider', 'v1 Function', 'v1beta1 Function'].map(
  (each) => `meta.pkg.crossplane.io/${each}`,
);

/**
 * What Crossplane takes from a provider's package; from a function's the first only. Others it refuses, or installs the package and warns.
 * ManagedResourceDefinitions are allowed as well, but Crossplane v1 refuses the whole package for a kind that it does
 * not know, and v2 makes them of the CRDs.
 */
const CONTENT_KINDS = new Set([
  'apiextensions.k8s.io/v1 CustomResourceDefinition',
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
]);

/**
 * The text of `package.yaml`: the meta object first, then the objects of the package. It ends with a separator, as
 * `crossplane xpkg build` writes it: the Crossplane CLI reads the layer's archive as one YAML stream and drops the last
 * document, which is meant to be the padding of the archive. Throws if there is not exactly one meta object, or an object
 * that a package cannot contain.
 */
export function packageStream(documents: readonly KubernetesDocument[]): string {
  const metas = documents.filter((document) => METAS.includes(gvk(document)));
  const [meta] = metas;
  if (meta === undefined || metas.length > 1) {
    throw new Error(
      `cannot make a package of ${metas.length} objects ${METAS.join(' or ')}: it has exactly one`,
    );
  }
  const seen = new Set<string>();
  const contents = documents.filter((document) => document !== meta);
  for (const document of contents) {
    const id = `${gvk(document)} ${document.name}`;
    if (!CONTENT_KINDS.has(gvk(document)))
      throw new Error(`cannot package ${document.path}: ${id} has no place there`);
    if (seen.has(id)) throw new Error(`cannot package ${document.path}: ${id} is there twice`);
    seen.add(id);
  }
  return `${yamlStream([meta, ...contents])}---\n`;
}

/** Go's parser follows YAML 1.1, where a bare `yes` is a boolean. */
const OUTPUT = { lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false } as const;

/** Every document after a `---`. */
export function yamlStream(documents: readonly KubernetesDocument[]): string {
  return documents.map(({ content }) => `---\n${stringify(content, OUTPUT)}`).join('');
}

const gvk = ({ apiVersion, kind }: KubernetesDocument): string => `${apiVersion} ${kind}`;
