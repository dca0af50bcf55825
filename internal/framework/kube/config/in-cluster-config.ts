import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { followed } from '../../base/configuration/followed.ts';
import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { jsonEqual } from '../../base/json/json-equal.ts';
import type { ClusterConfig, Credentials } from './cluster-config.ts';

export interface InClusterOptions extends Pick<Deps, 'clock'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the service account is mounted; default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly mount?: string;
}

/** As in client-go: kubelets replace a token long before it expires, so one read a minute is enough. */
const REREAD_MS = 60_000;

const defaultMount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The cluster of the pod, or undefined outside of a pod. Follows rotations of token and CA. */
export async function inClusterConfig(options: InClusterOptions): Promise<ClusterConfig | undefined> {
  const { clock, env, mount = defaultMount } = options;
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port) return undefined;
  const { fresh, readAgain } = followed({
    ...{ clock, first: await readServiceAccount(mount), intervalMs: REREAD_MS },
    read: () => readServiceAccount(mount),
    isSame: jsonEqual,
  });
  const namespace = (await readFile(join(mount, 'namespace'), 'utf8').catch(() => '')).trim();
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ...(namespace === '' ? {} : { namespace }),
    credentials: fresh,
    refused: () => void readAgain(),
  };
}

async function readServiceAccount(mount: string): Promise<Credentials> {
  try {
    const [token, ca] = await Promise.all([
      readFile(join(mount, 'token'), 'utf8'),
      readFile(join(mount, 'ca.crt'), 'utf8'),
    ]);
    return { ca, headers: { authorization: `Bearer ${token.trim()}` } };
  } catch (cause) {
    throw new ProviderError('transient', `cannot read the pod's service account in ${mount}`, { cause });
  }
}
