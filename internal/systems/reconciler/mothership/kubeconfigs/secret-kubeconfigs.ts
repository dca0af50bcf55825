import { X509Certificate } from 'node:crypto';
import { createLruCache, textBytes } from '../../../../framework/base/collections/lru-cache.ts';
import type { Deps } from '../../../../framework/base/index.ts';
import {
  isNotFound,
  type KubeClient,
  parseUntrustedKubeconfig,
  secrets,
} from '../../../../framework/kube/index.ts';

import type { KubeconfigSource } from '../model/cluster.ts';
import { OPERATOR_NAMESPACE } from '../model/registrant.ts';

export interface SecretKubeconfigsOptions extends Pick<Deps, 'clock' | 'random'> {
  /** Of the control plane. */
  readonly client: Pick<KubeClient, 'get'>;
  /** Time that a kubeconfig is kept in memory at most, in ms: the variable KUBECONFIG_CACHE_TTL; default 30 minutes. */
  readonly ttlMs?: number;
}

/** Kubeconfigs in Secrets of the control plane, which the infrastructure manager writes and rotates. */
export interface SecretKubeconfigs extends KubeconfigSource {
  /** Reads the Secret, whatever is in memory. */
  readAgain(runtimeId: string, signal: AbortSignal): Promise<string | undefined>;
  /** `Secret <namespace>/<name>`, for messages. */
  nameOf(runtimeId: string): string;
}

const KEY = 'config';
/** Memory for some thousand kubeconfigs. */
const MAX_BYTES = 32 * 1024 * 1024;
const TTL_MS = 30 * 60_000;
/** A missing Secret is read again at a random time after the usual one, so that clusters without one spread. */
const MISS_SPREAD = 1 / 3;
/** Of the time until a kubeconfig expires: by default rotation leaves two fifths of its life, and operations need a part of that. */
const HELD_SHARE = 0.5;
/** For one that has expired, in ms: many operations may ask for it. */
const MIN_HELD_MS = 10_000;

interface Held {
  /** Undefined: there is no such Secret. */
  readonly kubeconfig: string | undefined;
  readonly until: number;
}

export function createSecretKubeconfigs(options: SecretKubeconfigsOptions): SecretKubeconfigs {
  const { client, clock, random, ttlMs = TTL_MS } = options;
  const held = createLruCache<string, Held>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ kubeconfig }) => textBytes(kubeconfig),
  });
  const readAgain = async (runtimeId: string, signal: AbortSignal) => {
    const kubeconfig = await readSecret(client, runtimeId, signal);
    const heldMs =
      kubeconfig === undefined
        ? ttlMs * (1 + random() * MISS_SPREAD)
        : Math.min(ttlMs, Math.max(MIN_HELD_MS, (await leftMs(kubeconfig, clock.now())) * HELD_SHARE));
    held.set(runtimeId, { kubeconfig, until: clock.monotonic() + heldMs });
    return kubeconfig;
  };
  return {
    readAgain,
    read: async (runtimeId, signal) => {
      const known = held.get(runtimeId);
      if (known !== undefined && clock.monotonic() < known.until) return known.kubeconfig;
      return readAgain(runtimeId, signal);
    },
    nameOf: (runtimeId) => `Secret ${OPERATOR_NAMESPACE}/${secretName(runtimeId)}`,
  };
}

/** Until the client certificate of the kubeconfig expires, in ms. Endless without one, and for what cannot be used anyway. */
async function leftMs(kubeconfig: string, now: number): Promise<number> {
  try {
    const { cert } = await parseUntrustedKubeconfig(kubeconfig).credentials();
    if (cert !== undefined) return new X509Certificate(cert).validToDate.getTime() - now;
  } catch {
    // Who uses it says what is wrong with it.
  }
  return Number.POSITIVE_INFINITY;
}

const secretName = (runtimeId: string) => `kubeconfig-${runtimeId}`;

async function readSecret(
  client: Pick<KubeClient, 'get'>,
  runtimeId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = secretName(runtimeId);
  // Any text may be a runtime id; no Secret can have such a name.
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) return undefined;
  try {
    const { data } = await client.get(secrets, { namespace: OPERATOR_NAMESPACE, name }, { signal });
    const kubeconfig = Buffer.from(data?.[KEY] ?? '', 'base64').toString('utf8');
    return kubeconfig.trim() === '' ? undefined : kubeconfig;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
