import { Command, CommanderError, Option } from 'commander';
import { messageOf } from '../base/errors.ts';
import { doctorExitCodes } from './doctor.ts';
import { addConnectionFlags, addFlags, type DoctorFlags, type StartFlags } from './flags.ts';
import type { ProcessLike } from './process-like.ts';
import { version } from './version.ts';

/** The commands. Each loads its code only when it runs, so that `--help` does not pay for all of them. */
export function program(host: ProcessLike): Command {
  const root = new Command('provider-kyma')
    .description('Keeps SAP BTP Kyma clusters from a management cluster')
    .version(version)
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    });
  addFlags(root.command('start').description('run the controllers until SIGTERM or SIGINT'), host.env).action(
    async (flags: StartFlags) => {
      const { start } = await import('./start.ts');
      await start(flags, host);
    },
  );
  const doctor = root
    .command('doctor')
    .description('follow the chain of a KymaInstanceMapping hop by hop and say what is missing')
    .argument('<mapping>', 'name of the KymaInstanceMapping')
    .addOption(
      new Option('-o, --output <format>', 'how to print the report')
        .choices(['table', 'json'])
        .default('table'),
    );
  addConnectionFlags(doctor, host.env)
    .addHelpText(
      'after',
      `\nExit codes: ${doctorExitCodes.healthy} every hop holds, ${doctorExitCodes.unhealthy} a hop is missing, ${doctorExitCodes.usage} the cluster could not be asked`,
    )
    .action(async (mapping: string, flags: DoctorFlags) => {
      const { runDoctor } = await import('./run-doctor.ts');
      host.exitCode = await runDoctor(mapping, flags, host);
    });
  return root;
}

/** Runs a command line; what goes wrong becomes one line on stderr and an exit code. */
export async function run(host: ProcessLike, argv: readonly string[]): Promise<void> {
  const root = program(host).exitOverride();
  for (const command of root.commands) command.exitOverride();
  try {
    await root.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      host.exitCode = error.exitCode === 0 ? 0 : doctorExitCodes.usage;
      return;
    }
    host.stderr.write(`provider-kyma: ${messageOf(error)}\n`);
    host.exitCode = 1;
  }
}
