import type { Managed } from '../../resource/managed.ts';

/**
 * Tags by which an external resource tells whose it is, for other sides that take tags or labels. The names are
 * Crossplane's, so that what its providers left is recognised.
 */
export function identityTags(resource: Managed): Record<string, string> {
  const { apiVersion, kind, metadata, spec } = resource;
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const { name, kind: configKind } = spec.providerConfigRef ?? {};
  return {
    'crossplane-kind': [kind, group].filter(Boolean).join('.').toLowerCase(),
    'crossplane-name': metadata.name,
    ...(metadata.namespace ? { 'crossplane-namespace': metadata.namespace } : {}),
    ...(name ? { 'crossplane-providerconfig': name } : {}),
    ...(name && configKind ? { 'crossplane-providerconfig-kind': configKind } : {}),
  };
}
