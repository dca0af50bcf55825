import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError, wrap } from '../../base/errors/errors.ts';
import { sleep } from '../../base/time/clock.ts';

/** A serving certificate with its chain, and its private key, both PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Names of a Secret of type kubernetes.io/tls, as cert-manager and Crossplane write it. */
const CERTIFICATE = 'tls.crt';
const KEY = 'tls.key';

/** How often the files are compared with what is served, in ms; controller-runtime's certwatcher does the same. */
const INTERVAL_MS = 10_000;

/** Reads `tls.crt` and `tls.key` of a folder. */
export async function readCertificate(folder: string): Promise<ServingCertificate> {
  if (folder === '') {
    throw new ProviderError(
      'terminal',
      'no folder with a serving certificate is given (--webhook-tls-cert-dir)',
    );
  }
  try {
    const [cert, key] = await Promise.all(
      [CERTIFICATE, KEY].map((name) => readFile(join(folder, name), 'utf8')),
    );
    return { cert: cert ?? '', key: key ?? '' };
  } catch (error) {
    throw wrap(error, `cannot read the serving certificate in ${folder}`);
  }
}

export interface FollowCertificateOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly folder: string;
  /** What is served now. */
  readonly current: ServingCertificate;
  /** Called with a changed pair; what it throws is logged, and the pair is tried again. */
  readonly onChanged: (certificate: ServingCertificate) => void;
}

/**
 * Follows the files of a certificate until `signal` is aborted. They are compared rather than watched: a mounted Secret
 * is replaced by a symbolic link, for which a watch on the file sees nothing.
 */
export async function followCertificate(
  options: FollowCertificateOptions,
  signal: AbortSignal,
): Promise<void> {
  const { folder, onChanged, clock, log } = options;
  let { current } = options;
  let problem = '';
  while (!signal.aborted) {
    await sleep(clock, INTERVAL_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const found = await readCertificate(folder);
      if (found.cert === current.cert && found.key === current.key) continue;
      onChanged(found);
      current = found;
      problem = '';
      log.info('serving certificate reloaded', { folder });
    } catch (error) {
      if (problem !== messageOf(error))
        log.error('cannot reload the serving certificate', { error: messageOf(error) });
      problem = messageOf(error);
    }
  }
}
