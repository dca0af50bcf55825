import { listAllMetadata } from '../../../framework/kube/cache/listed-cache.ts';
import type { KubeClient, Selection } from '../../../framework/kube/client/client.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { certificateName, credentialsName } from '../credentials/secret-names.ts';
import { removeWatchers, watchers, watchLabel } from '../watched-secrets/watch-marks.ts';
import { changeMarks } from '../watched-secrets/watched-secrets.ts';

export interface ReleaseSecretsOptions {
  readonly client: KubeClient;
  /** Default: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  /** Default: the Secrets of the management namespace are not released. */
  readonly managementNamespace?: string | undefined;
  /** A signal for one request. */
  readonly signal: () => AbortSignal;
}

/**
 * Removes marks from Secrets with credentials when no instance and no binding is left: the operator may be stopped before it
 * does, and a Secret with its finalizer would block the deletion of its namespace. Secrets are selected by name, so that the
 * right to list can be limited to these names.
 */
export async function releaseSecrets(options: ReleaseSecretsOptions): Promise<void> {
  const { client, namespaces, managementNamespace, signal } = options;
  const places = namespaces?.map((namespace) => ({ namespace })) ?? [{}];
  const selections: Selection[] = places.flatMap((place) =>
    [credentialsName, certificateName].map((name) => ({ ...place, fieldSelector: `metadata.name=${name}` })),
  );
  if (managementNamespace !== undefined)
    selections.push({ namespace: managementNamespace, labelSelector: `${watchLabel}=true` });
  for (const selection of selections) {
    const found = await listAllMetadata(client, secrets, { ...selection, signal: signal() });
    for (const secret of found) {
      if (watchers(secret).length === 0) continue;
      await changeMarks(client, secret, (current) => removeWatchers(current, watchers(current)), signal());
    }
  }
}
