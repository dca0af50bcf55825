import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { messageOf, ProviderError } from '../base/errors/errors.ts';

/**
 * Adds the certificates of SSL_CERT_FILE to the default CA certificates of TLS. Node itself reads NODE_EXTRA_CA_CERTS.
 *
 * @throws if the file cannot be read or has no certificate
 */
export function trustEnvironmentCertificates(env: NodeJS.ProcessEnv): void {
  const file = env.SSL_CERT_FILE;
  if (!file) return;
  const certificates = readCertificates(file);
  setDefaultCACertificates([...getCACertificates('default'), ...certificates]);
}

function readCertificates(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ProviderError('terminal', `cannot read SSL_CERT_FILE ${file}: ${messageOf(error)}`);
  }
  const certificates = certificatesIn(text);
  if (certificates.length === 0) {
    throw new ProviderError('terminal', `cannot use SSL_CERT_FILE ${file}: it holds no PEM certificate`);
  }
  return certificates;
}

/** Other text in the file is ignored, as in OpenSSL. */
function certificatesIn(text: string): string[] {
  const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];
  return text
    .split(begin)
    .slice(1)
    .flatMap((part) => (part.includes(end) ? [begin + part.slice(0, part.indexOf(end)) + end] : []));
}
