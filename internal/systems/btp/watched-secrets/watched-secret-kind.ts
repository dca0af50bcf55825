import { serviceBindings } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import {
  done,
  indexed,
  mapped,
  type ObjectIndex,
  type ReconciledKind,
} from '../../../framework/controller/index.ts';
import { inNamespaces } from '../../../framework/kube/cache/merged-informer.ts';
import {
  type Informers,
  type KubeObject,
  keyOf,
  keyString,
  secrets,
  wasDeleted,
} from '../../../framework/kube/index.ts';
import { bindingsOf, instancesOf } from '../caches.ts';
import {
  bindingsByInstance,
  bindingUsers,
  type CredentialUsers,
  credentialUserOf,
  instanceOf,
  instanceUsers,
} from '../credentials/credential-users.ts';
import {
  type CredentialSettings,
  type CredentialUser,
  secretKeysOfUser,
  usersOf,
} from '../credentials/secret-names.ts';
import { secretKeysOf } from '../parameters/read-parameters.ts';
import { reasons } from '../status/messages.ts';
import { credentialUse, releaseDeleted, removeWatchers, watchers } from './watch-marks.ts';
import { instancesByUid, patchMarks, watchedSecretsOf } from './watched-secrets.ts';

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
  /** Set when a controller is built. */
  let indexes: Indexes;
  return {
    type: secrets,
    needs: [serviceInstances, serviceBindings],
    cache: cacheOf,
    sources: (informers) => {
      const cache = cacheOf(informers);
      // A Secret that is marked later is requested when the cache gets it.
      const marked = (keys: readonly string[]) => keys.filter((key) => cache.get(key) !== undefined);
      indexes = createIndexes(informers);
      const credentialsOf = (user: CredentialUser) => secretKeysOfUser(user, settings).map(keyString);
      return [
        indexed(
          indexes.all,
          mapped(
            instancesOf(informers),
            (instance) => marked([...secretKeysOf(instance), ...credentialsOf(instance)]),
            {
              predicate: (old, instance) =>
                old.spec.btpAccessCredentialsSecret !== instance.spec.btpAccessCredentialsSecret,
            },
          ),
        ),
        mapped(
          bindingsOf(informers),
          (binding) => marked(credentialsOf(credentialUserOf(binding, instanceOf(binding, informers)))),
          { predicate: () => false },
        ),
      ];
    },
    reconcile: async ({ object: secret }, { client, informers, recorder, signal }) => {
      assertListed(informers);
      const isUsed = watchers(secret).includes(credentialUse) && isInUse(secret, indexes, settings);
      if (isUsed && wasDeleted(secret))
        recorder.record({ ...secret, apiVersion: 'v1', kind: 'Secret' }, 'Warning', reasons.inUse, inUseText);
      const released = isUsed ? undefined : releaseDeleted(secret);
      const outdated = [...withoutInstance(secret, indexes), ...(isUsed ? [] : [credentialUse])];
      await patchMarks(client, secret, released ?? removeWatchers(secret, outdated), signal);
      return done;
    },
  };
}

const inUseText =
  'the Secret is deleted when no ServiceInstance and no ServiceBinding needs its credentials any more';

/** The objects that a Secret concerns. They follow their caches while the controller runs. */
interface Indexes {
  readonly all: readonly Pick<ObjectIndex<KubeObject>, 'start'>[];
  readonly users: readonly CredentialUsers[];
  readonly byUid: ObjectIndex<ServiceInstance>;
}

function createIndexes(informers: Informers): Indexes {
  const byUid = instancesByUid(informers);
  const byInstance = bindingsByInstance(informers);
  const users = [instanceUsers(informers), bindingUsers(informers, byInstance)];
  return { all: [byUid, byInstance, ...users.flatMap((each) => each.indexes)], users, byUid };
}

/** An index of a cache that is not listed yet is empty: what is in use would be released. */
function assertListed(informers: Informers): void {
  for (const cache of [instancesOf(informers), bindingsOf(informers)]) cache.get('');
}

function isInUse(secret: KubeObject, { users }: Indexes, settings: CredentialSettings): boolean {
  const of = usersOf(keyOf(secret), settings);
  return users.some(({ requestsOf }) => [...requestsOf(of)].length > 0);
}

/** The uids on the Secret that no instance of its namespace has. */
const withoutInstance = (secret: KubeObject, { byUid }: Indexes): string[] =>
  watchers(secret).filter(
    (uid) =>
      uid !== credentialUse &&
      !byUid.of(uid).some(({ metadata }) => metadata.namespace === secret.metadata.namespace),
  );
