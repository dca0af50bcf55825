import { followed } from '../../base/configuration/followed.ts';
import type { Deps } from '../../base/deps.ts';
import { InvalidConfigurationError, messageOf } from '../../base/errors/errors.ts';
import { jsonEqual } from '../../base/json/json-value.ts';
import type { ClientCertificate } from '../../http/transport/connections.ts';
import {
  CERTIFICATE_INTERVAL_MS,
  type CertificateFiles,
  readAuthorities,
  readCertificate,
} from './certificate-files.ts';
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
}: ServerTlsFlags): Promise<Pick<HttpServerOptions, 'certificate' | 'clientAuthorityFile'>> {
  const hasCertificate = serverCrt !== '' && serverKey !== '';
  if (!hasCertificate && serverCrt !== serverKey) {
    throw new InvalidConfigurationError('cannot serve HTTPS: give both --server-crt and --server-key');
  }
  if (!hasCertificate && clientCaFile !== '') {
    throw new InvalidConfigurationError(
      'cannot check client certificates over HTTP: --client-ca-file needs --server-crt and --server-key',
    );
  }
  if (clientCaFile !== '') await readCertificates(clientCaFile, '--client-ca-file');
  return {
    ...(hasCertificate ? { certificate: { certificate: serverCrt, key: serverKey } } : {}),
    ...(clientCaFile === '' ? {} : { clientAuthorityFile: clientCaFile }),
  };
}

/** The text of a file with PEM certificates. @throws InvalidConfigurationError that names the flag */
async function readCertificates(path: string, flag: string): Promise<string> {
  return await readAuthorities(path).catch((error: unknown) => {
    throw new InvalidConfigurationError(`cannot use ${flag}: ${messageOf(error)}`);
  });
}

/** Returns the certificate that this process shows as a client at present. */
export type ClientCertificateSource = () => Promise<ClientCertificate>;

interface ClientCertificateOptions extends Pick<Deps, 'clock' | 'log'> {
  /** Paths; empty texts are absent. */
  readonly files: CertificateFiles;
  /** The flags that name the files, for messages. */
  readonly flags: CertificateFiles;
}

/**
 * Follows the files of a client certificate, which are replaced before it expires. While they cannot be used, the last pair
 * counts. Undefined if no file is given.
 *
 * @throws InvalidConfigurationError if one file lacks, or both cannot be used
 */
export async function openClientCertificate(
  options: ClientCertificateOptions,
): Promise<ClientCertificateSource | undefined> {
  const { files, flags, clock, log } = options;
  if (files.certificate === '' && files.key === '') return undefined;
  if (files.certificate === '' || files.key === '') {
    throw new InvalidConfigurationError(
      `cannot use a client certificate: give both ${flags.certificate} and ${flags.key}`,
    );
  }
  const first = await read(files).catch((error: unknown) => {
    throw new InvalidConfigurationError(
      `cannot use ${flags.certificate} and ${flags.key}: ${messageOf(error)}`,
    );
  });
  return followed({
    ...{ clock, first, intervalMs: CERTIFICATE_INTERVAL_MS },
    read: () => read(files),
    isSame: jsonEqual,
    onChanged: () => log.info('client certificate reloaded', { file: files.certificate }),
    onFailed: (error) => log.error('cannot reload the client certificate', { error }),
  }).fresh;
}

/** Returns the PEM certificates to trust at present, besides those of Node. */
export type TrustedCertificatesSource = () => Promise<readonly string[]>;

interface TrustedCertificatesOptions extends Pick<Deps, 'clock' | 'log'> {
  /** Path; an empty text is absent: then there are none. */
  readonly file: string;
  /** The flag that names the file, for messages. */
  readonly flag: string;
}

/**
 * Follows a file of authorities, which is replaced when one of them is. While it cannot be used, the last content counts.
 *
 * @throws InvalidConfigurationError if it cannot be used now
 */
export async function openTrustedCertificates({
  file,
  flag,
  clock,
  log,
}: TrustedCertificatesOptions): Promise<TrustedCertificatesSource> {
  if (file === '') return async () => [];
  return followed<readonly string[]>({
    ...{ clock, first: [await readCertificates(file, flag)], intervalMs: CERTIFICATE_INTERVAL_MS },
    read: async () => [await readAuthorities(file)],
    isSame: jsonEqual,
    onChanged: () => log.info('trusted certificates reloaded', { file }),
    onFailed: (error) => log.error('cannot reload trusted certificates', { error }),
  }).fresh;
}

async function read(files: CertificateFiles): Promise<ClientCertificate> {
  const { cert, key } = await readCertificate(files, 'client certificate');
  return { certificate: cert, key };
}
