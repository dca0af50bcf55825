import { type Command, Option } from 'commander';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { addGroups } from '../../../../framework/process/flag.ts';
import {
  databaseGroups,
  type MothershipFlags,
  mothershipGroups,
  statusGroup,
} from '../../mothership/config/start-flags.ts';
import type { FromGoFlags } from './database-commands.ts';

type DatabaseFlags = Pick<MothershipFlags, 'config' | 'verbose' | 'logFormat' | 'databaseUrl' | 'dataDir'>;

/** Flags of the Go program that have no effect here. */
const IGNORED = ['--non-interactive', '-r, --init-registry'];

/** `provider-kyma mothership …`: the server that coordinates the reconciliation of Kyma clusters. */
export function addMothershipCommands(root: Command, host: ProcessLike): void {
  const group = root
    .command('mothership')
    .description(
      'Coordinates the reconciliation of Kyma clusters: installs, updates and deletes their components',
    );
  const command = (name: string, description: string): Command => {
    const added = group.command(name).description(description);
    for (const flags of IGNORED) added.addOption(new Option(flags).hideHelp());
    return added;
  };

  const start = command('start', 'run the mothership until SIGTERM or SIGINT').addOption(
    new Option(
      '--no-login',
      'serve every address without login, behind a mesh that authenticates; default: without login only loopback addresses are served',
    )
      .env('RECONCILER_NO_LOGIN')
      .helpGroup('Login:'),
  );
  addGroups(start, mothershipGroups).action(async (flags: MothershipFlags) => {
    const { startMothership } = await import('./start-mothership.ts');
    await startMothership(flags, host);
  });

  addGroups(
    command('install', 'make an encryption key for a database; an existing one is kept beside it'),
    databaseGroups,
  )
    .option('--backup [true|false]', 'keep an existing key as FILE.TIME.bak', 'true')
    .action(async (flags: DatabaseFlags & { readonly backup: string | boolean }) => {
      const { install } = await import('./database-commands.ts');
      await install(flags, host);
    });

  addGroups(
    command(
      'migrate-from-go',
      "copy the data of the Go program, which must be stopped, into this program's tables of the same database; again after an interruption: go on",
    ),
    [...databaseGroups, statusGroup],
  )
    .option('--go-key-file <file>', 'key file of the Go program; default: db.encryption.keyFile', '')
    .action(async (flags: FromGoFlags) => {
      const { fromGo } = await import('./database-commands.ts');
      await fromGo(flags, host);
    });

  addGroups(
    command(
      'migrate-to-go',
      "bring the tables of the Go program to the state of this program's tables, whose motherships must be stopped",
    ),
    databaseGroups,
  )
    .option('--go-key-file <file>', 'key file of the Go program; default: db.encryption.keyFile', '')
    .action(async (flags: DatabaseFlags & { readonly goKeyFile: string }) => {
      const { toGo } = await import('./database-commands.ts');
      await toGo(flags, host);
    });

  addGroups(
    command('rotate-key', 'add an encryption key, and encrypt everything with it, while motherships run'),
    databaseGroups,
  )
    .option('--no-new-key', 'add none, and encrypt everything with the first key of the file')
    .option('--prune', 'remove the keys that nothing is encrypted with any more, and add none', false)
    .action(async (flags: DatabaseFlags & { readonly prune: boolean; readonly newKey: boolean }) => {
      const { rotateKey } = await import('./database-commands.ts');
      await rotateKey(flags, host);
    });
}
