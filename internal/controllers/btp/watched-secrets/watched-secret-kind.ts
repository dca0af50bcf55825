import { serviceBindings } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { done, mapped, type ReconciledKind } from '../../../controller/index.ts';
import { inNamespaces } from '../../../kube/cache/merged-informer.ts';
import {
  type Informers,
  type KubeObject,
  keyOf,
  keyString,
  secrets,
  wasDeleted,
} from '../../../kube/index.ts';
import { credentialUserOf, instanceOf } from '../credentials/credential-users.ts';
import {
  type CredentialSettings,
  type CredentialUser,
  isAmong,
  secretKeysOfUser,
  usersOf,
} from '../credentials/secret-names.ts';
import { secretKeysOf } from '../parameters/read-parameters.ts';
import { reasons } from '../status/reasons.ts';
import { credentialUse, releaseDeleted, removeWatchers, watchers } from './watch-marks.ts';
import { patchMarks, watchedSecretsOf } from './watched-secrets.ts';

export interface WatchedSecretSettings extends CredentialSettings {
  /** The namespaces whose objects are reconciled; absent: all. */
  readonly namespaces?: readonly string[];
}

/**
 * Releases watched Secrets that are being deleted, as soon as no instance or binding needs their credentials. Removes marks of
 * instances that do not exist any more, e.g. because a user removed their finalizer.
 */
export function watchedSecretKind(settings: WatchedSecretSettings): ReconciledKind<KubeObject> {
  const { namespaces, managementNamespace } = settings;
  // The management namespace has credentials, and may have no instances.
  const cacheOf = (informers: Informers) =>
    watchedSecretsOf(
      namespaces === undefined ? informers : inNamespaces(informers, [...namespaces, managementNamespace]),
    );
  return {
    type: secrets,
    needs: [serviceInstances, serviceBindings],
    cache: cacheOf,
    sources: (informers) => {
      const cache = cacheOf(informers);
      // A Secret that is marked later is requested when the cache gets it.
      const marked = (keys: readonly string[]) => keys.filter((key) => cache.get(key) !== undefined);
      const credentialsOf = (user: CredentialUser) => secretKeysOfUser(user, settings).map(keyString);
      return [
        mapped(
          informers.of(serviceInstances),
          (instance) => marked([...secretKeysOf(instance), ...credentialsOf(instance)]),
          {
            predicate: (old, instance) =>
              old.spec.btpAccessCredentialsSecret !== instance.spec.btpAccessCredentialsSecret,
          },
        ),
        mapped(
          informers.of(serviceBindings),
          (binding) => marked(credentialsOf(credentialUserOf(binding, instanceOf(binding, informers)))),
          { predicate: () => false },
        ),
      ];
    },
    reconcile: async ({ object: secret }, { client, informers, recorder, signal }) => {
      const isUsed = watchers(secret).includes(credentialUse) && isInUse(secret, informers, settings);
      if (isUsed && wasDeleted(secret))
        recorder.record({ ...secret, apiVersion: 'v1', kind: 'Secret' }, 'Warning', reasons.inUse, inUseText);
      const released = isUsed ? undefined : releaseDeleted(secret);
      const outdated = [...withoutInstance(secret, informers), ...(isUsed ? [] : [credentialUse])];
      await patchMarks(client, secret, released ?? removeWatchers(secret, outdated), signal);
      return done;
    },
  };
}

const inUseText =
  'the Secret is deleted when no ServiceInstance and no ServiceBinding needs its credentials any more';

function isInUse(secret: KubeObject, informers: Informers, settings: CredentialSettings): boolean {
  const users = usersOf(keyOf(secret), settings);
  const mayUse = (user: CredentialUser) => isAmong(users, user);
  return (
    informers.of(serviceInstances).list().some(mayUse) ||
    informers
      .of(serviceBindings)
      .list()
      .some((binding) => mayUse(credentialUserOf(binding, instanceOf(binding, informers))))
  );
}

/** The uids on the Secret that no instance of its namespace has. */
function withoutInstance(secret: KubeObject, informers: Informers): string[] {
  const { namespace } = secret.metadata;
  const instances = informers.of(serviceInstances).list();
  const existing = new Set(
    instances.flatMap(({ metadata }) => (metadata.namespace === namespace ? [metadata.uid] : [])),
  );
  return watchers(secret).filter((uid) => uid !== credentialUse && !existing.has(uid));
}
