import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import tls from 'node:tls';
import { messageOf, ProviderError } from '../../../framework/base/index.ts';

/** Where the chart of SAP's BTP service operator mounts additional certificates. */
const CUSTOM_FILE = '/etc/ssl/certs/custom-ca-certificates.crt';

/**
 * Adds the certificates of SSL_CERT_FILE and of the custom file, if it exists, to the default CA certificates of TLS, when these are first
 * used. Node itself reads NODE_EXTRA_CA_CERTS.
 *
 * @throws if a file cannot be read or has no valid certificate
 */
export function trustEnvironmentCertificates(env: NodeJS.ProcessEnv, customFile = CUSTOM_FILE): void {
  const file = env.SSL_CERT_FILE;
  const certificates = [
    ...(file ? readCertificates(`SSL_CERT_FILE ${file}`, file) : []),
    ...(existsSync(customFile)
      ? readCertificates(`${customFile}: invalid custom CA certificates`, customFile)
      : []),
  ];
  if (certificates.length > 0) addWhenUsed(certificates);
}

/**
 * The base of the image names a file with all authorities of its distribution. To read these takes as long as the rest of a start, and
 * API servers have authorities of their own: so they are added when something asks for the default ones.
 */
function addWhenUsed(certificates: readonly string[]): void {
  const { createSecureContext, getCACertificates } = tls;
  const add = () => {
    Object.assign(tls, { createSecureContext, getCACertificates });
    tls.setDefaultCACertificates([...getCACertificates('default'), ...certificates]);
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
  const known = new Set(tls.rootCertificates.map(contentOf));
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
