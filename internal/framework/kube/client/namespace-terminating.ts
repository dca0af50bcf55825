import { isNamespaceTerminating } from '../errors/errors.ts';
import type { ConfigMap } from '../object/object.ts';
import { configMaps } from '../object/resource-type.ts';
import type { KubeClient } from './client.ts';

/**
 * Whether a namespace is terminating. It creates a ConfigMap in a dry run, which an API server refuses in such a namespace,
 * because providers usually have no permission to read namespaces.
 */
export async function probeNamespaceTerminating(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const probe: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'provider-kyma-probe', namespace },
  };
  try {
    await client.create(configMaps, probe, { dryRun: true, signal });
    return false;
  } catch (error) {
    return isNamespaceTerminating(error);
  }
}
