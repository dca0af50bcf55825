/**
 * When a kubeconfig is replaced: by its age, or since its cluster refuses it. All times are milliseconds, since the epoch where they are
 * points in time.
 */
import { parseTimestamp } from '../../../framework/base/index.ts';
import { isUntrusted } from '../../../framework/kube/errors/errors.ts';
import { isUnauthorized, type KubeObject } from '../../../framework/kube/index.ts';
import { annotationLastSync } from './metadata.ts';

const MINUTE_MS = 60_000;

/** Share of the rotation period after which a kubeconfig is due, as in the Kyma infrastructure manager. */
const DUE_SHARE = 0.95;
/** An old kubeconfig with less than this share of its life is replaced by one that could not be tried. */
const LAST_SHARE = 0.1;

export interface RotationSettings {
  /** Lifetime that is requested. */
  readonly expirationMs: number;
  /** Share of the lifetime that a kubeconfig is kept at least. */
  readonly minimalRotation: number;
}

/** The part of the lifetime during which a kubeconfig is kept, in whole minutes. */
export const rotationPeriodMs = (
  lifetimeMs: number,
  { minimalRotation }: Pick<RotationSettings, 'minimalRotation'>,
): number => Math.floor((minimalRotation * lifetimeMs) / MINUTE_MS) * MINUTE_MS;

/** When the kubeconfig was stored; undefined: the annotation is missing or no time. */
export const lastSyncOf = ({ metadata }: KubeObject): number | undefined =>
  parseTimestamp(metadata.annotations?.[annotationLastSync]);

/** Clocks of programs and API servers differ by less, in ms. */
const SKEW_MS = 300_000;

/** When the kubeconfig was stored, unless that lies in the future: then nothing says it. */
export function pastSyncOf(secret: KubeObject, now: number): number | undefined {
  const lastSync = lastSyncOf(secret);
  return lastSync === undefined || lastSync > now + SKEW_MS ? undefined : lastSync;
}

/** Time until the next rotation. Of a kubeconfig that is due already it is that until the rotation after it. */
export function nextRotationInMs(now: number, lastSync: number, periodMs: number): number {
  const wholeMs = periodMs * DUE_SHARE;
  const leftMs = wholeMs - (now - lastSync);
  return leftMs > 0 ? leftMs : wholeMs;
}

export interface Rotation {
  readonly lifetimeMs: number;
  readonly periodMs: number;
  readonly expiresAt: number;
  readonly isDue: boolean;
  /** It is so near to its end that any other kubeconfig is better. */
  readonly isLast: boolean;
}

/**
 * @param lastSync when the kubeconfig was stored
 * @param grantedUntil when its certificate expires; undefined: not known. It counts if it is at least a minute less than requested
 */
export function rotationOf(
  now: number,
  lastSync: number,
  grantedUntil: number | undefined,
  settings: RotationSettings,
): Rotation {
  const grantedMs = grantedUntil === undefined ? Number.POSITIVE_INFINITY : grantedUntil - lastSync;
  const isShorter = grantedMs <= settings.expirationMs - MINUTE_MS;
  const lifetimeMs = Math.max(isShorter ? grantedMs : settings.expirationMs, 0);
  const periodMs = rotationPeriodMs(lifetimeMs, settings);
  return {
    lifetimeMs,
    periodMs,
    expiresAt: lastSync + lifetimeMs,
    isDue: now - lastSync >= periodMs * DUE_SHARE,
    isLast: lastSync + lifetimeMs - now < lifetimeMs * LAST_SHARE,
  };
}

/** Kubeconfigs that their clusters refuse, as the controllers that use them report it, so that others are fetched before they are due. */
export interface RefusedKubeconfigs {
  /**
   * Notes the error of a request to a cluster if it means that the kubeconfig is not valid any more: 401, or a certificate of another
   * authority.
   *
   * @param secret key of the Secret
   * @param version of the Secret that was used
   */
  report(secret: string, version: string, error: unknown): void;
  has(secret: string, version: string): boolean;
  forget(secret: string): void;
  /** Calls the listener with the key of each Secret that is reported, until the returned function is called. */
  onReport(listener: (secret: string) => void): () => void;
}

export function createRefusedKubeconfigs(): RefusedKubeconfigs {
  const versions = new Map<string, string>();
  const listeners = new Set<(secret: string) => void>();
  return {
    report: (secret, version, error) => {
      if (!isUnauthorized(error) && !isUntrusted(error)) return;
      versions.set(secret, version);
      for (const listener of listeners) listener(secret);
    },
    has: (secret, version) => versions.get(secret) === version,
    forget: (secret) => void versions.delete(secret),
    onReport: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
