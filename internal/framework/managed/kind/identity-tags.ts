import type { Managed } from '../resource/managed.ts';

/**
 * Tags that identify the managed resource, for external APIs with tags or labels. The names are those of
 * `GetExternalTags` in crossplane-runtime.
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
