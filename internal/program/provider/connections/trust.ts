import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import { messageOf, ProviderError } from '../../../framework/base/index.ts';

/** Where the chart of SAP's BTP service operator mounts additional certificates. */
const CUSTOM_FILE = '/etc/ssl/certs/custom-ca-certificates.crt';
/** Of which programs in Go read all files. */
const FOLDERS = ['/etc/ssl/certs', '/etc/pki/tls/certs'];

/** Where certificates of authorities are; for tests. */
export interface TrustPlaces {
  readonly customFile?: string;
  readonly folders?: readonly string[];
}

/**
 * Adds certificates of authorities to the default ones of TLS, when these are first used: those of SSL_CERT_FILE, of the custom file, if it
 * exists, and of all files in the folders of SSL_CERT_DIR, by default the system's. So a volume that is mounted there counts, as in Go
 * (`crypto/x509`, `loadSystemRoots`). Node itself reads NODE_EXTRA_CA_CERTS.
 *
 * @throws if a file cannot be read or has no valid certificate; but in folders, what is no certificate is left out. A volume may hide the
 * file of SSL_CERT_FILE, which the base of the image sets: then the folders must have certificates
 */
export function trustEnvironmentCertificates(env: NodeJS.ProcessEnv, places: TrustPlaces = {}): void {
  const { customFile = CUSTOM_FILE, folders = FOLDERS } = places;
  const file = env.SSL_CERT_FILE || undefined;
  const named = env.SSL_CERT_DIR ? env.SSL_CERT_DIR.split(':') : folders;
  const existing = named.filter((folder) => existsSync(folder));
  const inFolders = () => existing.flatMap((folder) => certificatesOf(folder, [file, customFile]));
  const isHidden = file !== undefined && !existsSync(file) && inFolders().length > 0;
  const certificates = [
    ...(file !== undefined && !isHidden ? readCertificates(`SSL_CERT_FILE ${file}`, file) : []),
    ...(existsSync(customFile)
      ? readCertificates(`${customFile}: invalid custom CA certificates`, customFile)
      : []),
  ];
  if (certificates.length + existing.length > 0) addWhenUsed(() => [...certificates, ...inFolders()]);
}

/**
 * The base of the image names a file with all authorities of its distribution. To read these takes as long as the rest of a start, and
 * API servers have authorities of their own: so they are added when something asks for the default ones.
 */
function addWhenUsed(certificates: () => readonly string[]): void {
  const { createSecureContext, getCACertificates } = tls;
  let isAdded = false;
  const add = () => {
    if (isAdded) return;
    isAdded = true;
    Object.assign(tls, { createSecureContext, getCACertificates });
    const added = certificates();
    if (added.length > 0)
      tls.setDefaultCACertificates([...new Set([...getCACertificates('default'), ...added])]);
  };
  // All connections of Node and of packages get their context from here.
  Object.assign(tls, {
    createSecureContext: ((options) => {
      if (options?.ca === undefined) add();
      return createSecureContext(options);
    }) satisfies typeof createSecureContext,
    getCACertificates: ((type) => {
      add();
      return getCACertificates(type);
    }) satisfies typeof getCACertificates,
  });
}

/**
 * The valid certificates in the files of a folder that Node does not have.
 *
 * @param others files that are read apart
 */
function certificatesOf(folder: string, others: readonly (string | undefined)[]): readonly string[] {
  const found = new Map<string, string>();
  const known = knownCertificates();
  for (const name of unlessRefused(() => readdirSync(folder)) ?? []) {
    const file = join(folder, name);
    if (others.includes(file)) continue;
    const isFile = unlessRefused(() => statSync(file).isFile()) === true;
    const text = isFile ? unlessRefused(() => readFileSync(file, 'utf8')) : undefined;
    for (const certificate of certificatesIn(text ?? '')) {
      const content = contentOf(certificate);
      if (!known.has(content) && !found.has(content) && problemOf(certificate) === undefined)
        found.set(content, certificate);
    }
  }
  return [...found.values()];
}

/** Undefined for a folder or file that this user may not read, or that is gone. */
function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const knownCertificates = (): ReadonlySet<string> => new Set(tls.rootCertificates.map(contentOf));

/** @param name for messages */
function readCertificates(name: string, file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ProviderError('terminal', `cannot read ${name}: ${messageOf(error)}`);
  }
  const certificates = certificatesIn(text);
  if (certificates.length === 0) {
    throw new ProviderError('terminal', `cannot use ${name}: it holds no PEM certificate`);
  }
  const known = knownCertificates();
  const others = certificates.filter((certificate) => !known.has(contentOf(certificate)));
  const problem = others.map(problemOf).find((each) => each !== undefined);
  if (problem !== undefined) throw new ProviderError('terminal', `cannot use ${name}: ${problem}`);
  return others;
}

/** Without the breaks of lines, of which each file has its own. */
const contentOf = (certificate: string): string => certificate.replaceAll(/\s/g, '');

function problemOf(certificate: string): string | undefined {
  try {
    new X509Certificate(certificate);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Other text in the file is ignored, as in OpenSSL. */
function certificatesIn(text: string): string[] {
  const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];
  return text
    .split(begin)
    .slice(1)
    .flatMap((part) => (part.includes(end) ? [begin + part.slice(0, part.indexOf(end)) + end] : []));
}
