import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { Secret } from '../../../../internal/framework/kube/object/object.ts';
import { secretManifest } from '../../../environment/manifests.ts';
import { namespace } from './go-objects.ts';

const stale = 'services.cloud.sap.com/stale';

/**
 * The Secret that SAP's operator writes for a binding, without a template. The order of the entries in `.metadata` is random
 * there, and here another than this provider's.
 */
export function goSecret(
  { apiVersion, kind, metadata, spec, status }: ServiceBinding,
  credentials: unknown,
): Secret {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(credentials as object))
    texts[name] = typeof value === 'string' ? value : JSON.stringify(value);
  const credentialProperties = Object.entries(credentials as object)
    .map(([name, value]) => ({ name, format: typeof value === 'string' ? 'text' : 'json' }))
    .reverse();
  const info = {
    instance_name: 'base',
    instance_guid: status?.instanceID ?? '',
    plan: 'standard',
    label: 'sample',
    type: 'sample',
    tags: '["test"]',
  };
  const metaDataProperties = Object.keys(info).map((name) => ({
    name,
    format: name === 'tags' ? 'json' : 'text',
  }));
  const described = { credentialProperties, metaDataProperties };
  const secret = secretManifest(
    { namespace, name: spec.secretName ?? metadata.name },
    { ...texts, ...info, '.metadata': JSON.stringify(described) },
  );
  const replaced = metadata.labels?.[stale];
  return {
    ...secret,
    type: 'Opaque',
    metadata: {
      ...secret.metadata,
      labels: {
        'services.cloud.sap.com/managed-by-sap-btp-operator': 'true',
        ...(replaced ? { [stale]: replaced } : {}),
      },
      annotations: { binding: metadata.name },
      ownerReferences: [
        {
          apiVersion: apiVersion ?? '',
          kind: kind ?? '',
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
  };
}
