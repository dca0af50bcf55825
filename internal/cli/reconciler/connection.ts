import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { createDeps } from '../../base/deps.ts';
import { InvalidConfigurationError, messageOf } from '../../base/errors/errors.ts';
import { createMothershipClient, type MothershipClient } from '../../clients/mothership/mothership-client.ts';
import type { ProcessLike } from '../../console/process-like.ts';

/** Where the mothership is, and who asks. */
export interface ConnectionFlags {
  readonly mothershipUrl: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
}

/** The variable with a bearer token. It is no flag: other users of the machine see those. */
const TOKEN = 'RECONCILER_TOKEN';

export function addConnectionOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--mothership-url <url>', 'URL of the mothership')
        .env('RECONCILER_URL')
        .default('http://localhost:8080')
        .helpGroup('Connection:'),
    )
    .addOption(
      new Option(
        '--token-file <file>',
        `file with a bearer token; default: the variable ${TOKEN}, if it is set`,
      )
        .env('RECONCILER_TOKEN_FILE')
        .helpGroup('Connection:'),
    )
    .addOption(
      new Option(
        '--ca-file <file>',
        'certificates that the mothership is trusted by, besides those of Node.js',
      )
        .env('RECONCILER_CA_FILE')
        .helpGroup('Connection:'),
    );
}

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
