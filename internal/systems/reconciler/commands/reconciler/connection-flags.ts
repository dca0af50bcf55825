import { type Command, Option } from 'commander';

/** Where the mothership is, and who asks. */
export interface ConnectionFlags {
  readonly mothershipUrl: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
}

/** The variable with a bearer token. It is no flag: other users of the machine see those. */
export const TOKEN = 'RECONCILER_TOKEN';

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
