import { isNamespaceTerminating } from '../errors/errors.ts';
import type { ConfigMap } from '../object/object.ts';
import { configMaps } from '../object/resource-type.ts';
import type { KubeClient } from './client.ts';

/**
 * Whether a namespace is on its way out. Reading namespaces is a right of its own, which providers do not have by
 * default; but an API server takes nothing new into such a namespace, not even in a dry run, and says why.
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
