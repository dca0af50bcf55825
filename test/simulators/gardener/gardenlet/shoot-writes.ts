import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import type { KubeClient } from '../../../../internal/framework/kube/client/client.ts';
import { isAlreadyExists, isNotFound } from '../../../../internal/framework/kube/errors/errors.ts';
import { configMaps, internalSecrets } from '../kinds.ts';

/** An authority whose key is PKCS #1, as Gardener stores it. */
export interface ShootAuthority {
  readonly certificate: string;
  readonly key: string;
}

export interface ShootWritesOptions {
  readonly client: KubeClient;
  readonly bind: (shoot: Shoot, seedName: string) => Promise<void>;
  /** Of the project. */
  readonly namespace: string;
  readonly authority: ShootAuthority;
}

/** What scheduler and gardenlet write beside the status. */
export interface ShootWrites {
  /** Takes a new Shoot on: its seed, if there is one, and the finalizer. Returns it as it is then. */
  accept(shoot: Shoot, seedName: string | undefined): Promise<Shoot>;
  /** What `adminkubeconfig` needs. @param ca of the API server of the Shoot, PEM */
  authorities(shoot: Shoot, ca: string): Promise<void>;
  /** Ends a deletion. */
  remove(name: string): Promise<void>;
}

const FINALIZER = 'gardener';

export function createShootWrites(options: ShootWritesOptions): ShootWrites {
  const { client, bind, namespace, authority } = options;
  return {
    accept: async (shoot, seedName) => {
      const { name, finalizers = [] } = shoot.metadata;
      const key = { namespace, name };
      if (shoot.spec?.seedName === undefined && seedName !== undefined) await bind(shoot, seedName);
      if (finalizers.includes(FINALIZER)) return client.get(shoots, key);
      return client.mergePatch(shoots, key, { metadata: { finalizers: [...finalizers, FINALIZER] } });
    },
    authorities: async ({ metadata: { name } }, ca) => {
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      const cluster = {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: `${name}.ca-cluster` } },
        data: { 'ca.crt': ca },
      };
      const clients = {
        ...{ apiVersion: 'core.gardener.cloud/v1beta1', kind: 'InternalSecret' },
        metadata: { namespace, name: `${name}.ca-client` },
        data: { 'ca.crt': base64(authority.certificate), 'ca.key': base64(authority.key) },
      };
      await Promise.all([
        client.create(configMaps, cluster).catch(unless(isAlreadyExists)),
        client.create(internalSecrets, clients).catch(unless(isAlreadyExists)),
      ]);
    },
    remove: async (name) => {
      await client.mergePatch(shoots, { namespace, name }, { metadata: { finalizers: null } });
      await Promise.all([
        client.delete(configMaps, { namespace, name: `${name}.ca-cluster` }).catch(unless(isNotFound)),
        client.delete(internalSecrets, { namespace, name: `${name}.ca-client` }).catch(unless(isNotFound)),
      ]);
    },
  };
}

const unless = (expected: (error: unknown) => boolean) => (error: unknown) => {
  if (!expected(error)) throw error;
};
