import { readFile } from 'node:fs/promises';
import { createDeps } from '../../../../framework/base/deps.ts';
import { InvalidConfigurationError, messageOf } from '../../../../framework/base/errors/errors.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { createMothershipClient, type MothershipClient } from '../../client/mothership-client.ts';
import { type ConnectionFlags, TOKEN } from './connection-flags.ts';

/** @throws InvalidConfigurationError */
export async function openMothership(
  { mothershipUrl, tokenFile, caFile }: ConnectionFlags,
  { env }: Pick<ProcessLike, 'env'>,
): Promise<MothershipClient> {
  const url = URL.parse(mothershipUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidConfigurationError('cannot use --mothership-url: want a URL with http or https');
  }
  const own = env[TOKEN]?.trim() || undefined;
  return createMothershipClient({
    ...createDeps(),
    env,
    url: mothershipUrl,
    // The file is read each time: what is in it is renewed while a command watches.
    token: async () => (tokenFile === undefined ? own : (await textOf(tokenFile, '--token-file')).trim()),
    trustedCertificates: caFile === undefined ? [] : [await textOf(caFile, '--ca-file')],
    allowPrivateEndpoints: true,
  });
}

const textOf = (path: string, flag: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw new InvalidConfigurationError(`cannot use ${flag}: ${messageOf(error)}`);
  });
