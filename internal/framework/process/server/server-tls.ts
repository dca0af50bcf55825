import { readFile } from 'node:fs/promises';
import { InvalidConfigurationError, messageOf } from '../../base/errors/errors.ts';
import type { HttpServerOptions } from './http-server.ts';

/** Flags of a server: `--server-crt`, `--server-key` and `--client-ca-file`; empty texts are absent. */
export interface ServerTlsFlags {
  readonly serverCrt: string;
  readonly serverKey: string;
  readonly clientCaFile: string;
}

/** @throws InvalidConfigurationError if they do not fit together, or a file cannot be used */
export async function serverTls({
  serverCrt,
  serverKey,
  clientCaFile,
}: ServerTlsFlags): Promise<Pick<HttpServerOptions, 'certificate' | 'clientAuthorities'>> {
  const hasCertificate = serverCrt !== '' && serverKey !== '';
  if (!hasCertificate && serverCrt !== serverKey) {
    throw new InvalidConfigurationError('cannot serve HTTPS: give both --server-crt and --server-key');
  }
  if (!hasCertificate && clientCaFile !== '') {
    throw new InvalidConfigurationError(
      'cannot check client certificates over HTTP: --client-ca-file needs --server-crt and --server-key',
    );
  }
  return {
    ...(hasCertificate ? { certificate: { certificate: serverCrt, key: serverKey } } : {}),
    ...(clientCaFile === ''
      ? {}
      : { clientAuthorities: await readCertificates(clientCaFile, '--client-ca-file') }),
  };
}

/** The text of a file with PEM certificates. @throws InvalidConfigurationError that names the flag */
export async function readCertificates(path: string, flag: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new InvalidConfigurationError(`cannot use ${flag}: ${messageOf(error)}`);
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new InvalidConfigurationError(`cannot use ${flag}: ${path} has no certificate`);
  }
  return text;
}
