import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { followed } from '../../base/configuration/followed.ts';
import type { Deps } from '../../base/deps.ts';
import { ProviderError, wrap } from '../../base/errors/errors.ts';
import { jsonEqual } from '../../base/json/json-value.ts';

/** A certificate with its chain, and its private key, both PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** The files of a mounted Secret of type kubernetes.io/tls, as cert-manager and Crossplane write it. */
export const filesIn = (folder: string): CertificateFiles => ({
  certificate: join(folder, 'tls.crt'),
  key: join(folder, 'tls.key'),
});

/** Interval between comparisons of the files, in ms; that of `certwatcher` in controller-runtime. */
export const CERTIFICATE_INTERVAL_MS = 10_000;

/**
 * Reads certificate and key.
 *
 * @param what for messages
 * @throws if one is missing, incomplete or no PEM, or if they do not belong together, as while they are replaced
 */
export async function readCertificate(
  files: CertificateFiles,
  what = 'serving certificate',
): Promise<ServingCertificate> {
  try {
    const [cert, key] = await Promise.all(
      [files.certificate, files.key].map((path) => readFile(path, 'utf8')),
    );
    const pair = { cert: cert ?? '', key: key ?? '' };
    if (new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))) return pair;
    throw new ProviderError('transient', `${basename(files.key)} is not its private key`);
  } catch (error) {
    throw wrap(error, `cannot read the ${what} ${files.certificate}`);
  }
}

export interface FollowCertificateOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly files: CertificateFiles;
  /** The current certificate. */
  readonly current: ServingCertificate;
  /** Called with a changed pair. An error is logged and the pair is tried again. */
  readonly onChanged: (certificate: ServingCertificate) => void;
}

/** Follows the files of a certificate until `signal` is aborted. */
export function followCertificate(
  { files, current: first, onChanged, clock, log }: FollowCertificateOptions,
  signal: AbortSignal,
): Promise<void> {
  return followed({
    ...{ clock, first, intervalMs: CERTIFICATE_INTERVAL_MS },
    read: () => readCertificate(files),
    isSame: jsonEqual,
    onChanged: (found) => {
      onChanged(found);
      log.info('serving certificate reloaded', { file: files.certificate });
    },
    onFailed: (error) => log.error('cannot reload the serving certificate', { error }),
  }).follow(signal);
}

/**
 * Reads certificates of authorities.
 *
 * @throws if the file cannot be read, or has none
 */
export async function readAuthorities(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new ProviderError('transient', `${path} has no certificate`);
}
