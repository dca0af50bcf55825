import { readFile } from 'node:fs/promises';
import type { Deps } from '../../../../framework/base/deps.ts';
import { InvalidConfigurationError, messageOf } from '../../../../framework/base/errors/errors.ts';
import { openClientCertificate } from '../../../../framework/process/server/client-certificate.ts';
import { readCertificates } from '../../../../framework/process/server/server-tls.ts';
import type { MothershipFlags } from '../config/start-flags.ts';
import type { ComponentAccess } from '../model/mothership.ts';

/** How component reconcilers are called. @throws InvalidConfigurationError if a file cannot be used */
export async function openComponentAccess(
  flags: Pick<
    MothershipFlags,
    'componentTokenFile' | 'componentClientCrt' | 'componentClientKey' | 'componentCaFile'
  >,
  deps: Pick<Deps, 'clock' | 'log'>,
): Promise<ComponentAccess> {
  const { componentTokenFile, componentClientCrt, componentClientKey, componentCaFile } = flags;
  const token = async () => (componentTokenFile === '' ? undefined : await readToken(componentTokenFile));
  await token();
  return {
    token,
    identity: await openClientCertificate({
      ...deps,
      files: { certificate: componentClientCrt, key: componentClientKey },
      flags: { certificate: '--component-client-crt', key: '--component-client-key' },
    }),
    trustedCertificates:
      componentCaFile === '' ? [] : [await readCertificates(componentCaFile, '--component-ca-file')],
  };
}

/** The first line that is not empty. */
async function readToken(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new InvalidConfigurationError(`cannot use --component-token-file: ${messageOf(error)}`);
  });
  const token = text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
  if (token !== undefined && /^[\x21-\x7e]{1,4096}$/.test(token)) return token;
  throw new InvalidConfigurationError('cannot use --component-token-file: it has no token');
}
