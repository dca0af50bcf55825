import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../framework/base/configuration/configuration.ts';
import { buildInfo, findCause, InvalidConfigurationError, messageOf } from '../framework/base/index.ts';
import { similar } from '../framework/base/text/nearest.ts';
import { visible, visibleLines } from '../framework/base/text/redact.ts';
import { LoggedError } from '../framework/module/commands/log-format.ts';
import type { ProcessLike } from '../framework/module/console/process-like.ts';
import { boundTexts } from '../framework/process/flag.ts';
import { addTemplateCommand } from '../systems/btp/commands/template/command.ts';
import { addComponentCommands } from '../systems/reconciler/commands/component/command.ts';
import { addLocalCommand } from '../systems/reconciler/commands/local/command.ts';
import { addMothershipCommands } from '../systems/reconciler/commands/mothership/command.ts';
import { addReconcilerCommands } from '../systems/reconciler/commands/reconciler/command.ts';
import { addCompletionCommands, completeCommand } from './completion.ts';
import { addDoctorCommand } from './doctor/command.ts';
import { addPlanCommand } from './plan/command.ts';
import { addConnectionFlags, type ConnectionFlags } from './provider/connections/program-connections.ts';
import { addStartFlags, type StartFlags } from './provider/flags.ts';
import { moduleCommands, ownLeaseOf } from './provider/modules.ts';

/** The maximum width of help. */
const HELP_WIDTH = 100;

/**
 * The commands. Each imports its code when it runs, so that `--help` stays fast.
 *
 * @param name the command that runs: `start`, whose time counts, comes without the others. Default: all
 */
export function program(host: ProcessLike, name?: string): Command {
  // bin/kubectl-kyma sets the name `kubectl kyma`.
  const root = new Command(host.env.PROVIDER_KYMA_COMMAND || 'provider-kyma')
    .description('Manages resources of SAP BTP Kyma clusters from a management cluster')
    .version(buildInfo.version)
    // A command may have an option of the name `--version`.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => host.stdout.write(visibleLines(text)),
      writeErr: (text) => host.stderr.write(visibleLines(text)),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
    });
  addStartFlags(
    root.command('start').description('run the controllers until SIGTERM or SIGINT'),
    host.env,
  ).action(async (flags: StartFlags, command: Command) => {
    const { start } = await import('./start/start.ts');
    // A module that replaces a program without leader election has none by default either.
    const isDefault = command.getOptionValueSource('leaderElection') === 'default';
    const off = isDefault && ownLeaseOf(flags.controllers) !== undefined;
    await start(off ? { ...flags, leaderElection: false } : flags, host);
  });
  if (name !== 'start') addOtherCommands(root, host);
  root.hook('preAction', async (_, command) => {
    if (LOCAL.has(familyOf(command))) return;
    const { trustEnvironmentCertificates } = await import('./provider/connections/trust.ts');
    trustEnvironmentCertificates(host.env);
  });
  for (const command of leavesOf(root)) boundTexts(command);
  explainUnknown(root);
  return root;
}

/** Commands without connections; and `start`, which says in its log what is wrong with certificates. */
const LOCAL: ReadonlySet<string> = new Set(['start', 'template', 'completion', completeCommand]);

/** The name of the command below the program: `clusters` of `clusters list`. */
const familyOf = (command: Command): string =>
  command.parent?.parent ? familyOf(command.parent) : command.name();

function addOtherCommands(root: Command, host: ProcessLike): void {
  addPlanCommand(root, host);
  addModuleCommands(root, host);
  addDoctorCommand(root, host);
  addTemplateCommand(root, host);
  addMothershipCommands(root, host);
  addComponentCommands(root, host);
  addLocalCommand(root, host);
  addReconcilerCommands(root, host);
  addCompletionCommands(root, host);
}

/** Adds the commands of all modules, whatever `--controllers` is. */
function addModuleCommands(root: Command, host: ProcessLike): void {
  const connections = () => import('./provider/connections/program-connections.ts');
  for (const { name, define } of moduleCommands) {
    define(root.command(name), {
      host,
      open: async (command) =>
        (await connections()).openReadOnlyConnections(command.opts<ConnectionFlags>(), host),
      openForWrites: async (command) =>
        (await connections()).openWritingConnections(command.opts<ConnectionFlags>(), host),
      addConnectionFlags: (command, to) => addConnectionFlags(command, host.env, to),
    });
  }
}

/** The commands with an action. */
const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

/** The exit code of an invalid command line. Default: 2, except for `plan`, where 2 means changes. */
const usageExitCodes: Readonly<Record<string, number>> = {
  plan: 1,
  ...Object.fromEntries(moduleCommands.map(({ name, usageExitCode }) => [name, usageExitCode])),
};

/** Runs a command line. An error is one line on stderr and an exit code. */
export async function run(host: ProcessLike, argv: readonly string[]): Promise<void> {
  removeServiceLinks(host.env);
  const override = (command: Command): void => {
    command.exitOverride();
    for (const each of command.commands) override(each);
  };
  try {
    const root = program(host, argv[0]);
    override(root);
    const words = argv.map(asCommanderTakesIt(optionsOf(root, argv[0])));
    await root.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      host.exitCode = error.exitCode === 0 ? 0 : (usageExitCodes[argv[0] ?? ''] ?? 2);
      return;
    }
    if (findCause(error, LoggedError) === undefined) printError(error, host);
    host.exitCode = findCause(error, InvalidConfigurationError) === undefined ? 1 : 2;
  }
}

/**
 * Kubernetes gives a container variables for each Service of its namespace: the Service `webhook` makes `WEBHOOK_PORT=tcp://10.0.0.1:443`,
 * which would be the port of this program.
 */
function removeServiceLinks(env: NodeJS.ProcessEnv): void {
  for (const [name, value = ''] of Object.entries(env)) {
    const [, service] = /^(.+)_PORT$/.exec(name) ?? [];
    const isLink = /^(?:tcp|udp|sctp):\/\//.test(value) && env[`${service}_SERVICE_HOST`] !== undefined;
    if (service !== undefined && isLink) Reflect.deleteProperty(env, name);
  }
}

/** Several mistakes are one line each. */
function printError(error: unknown, host: ProcessLike): void {
  const { mistakes = [], page = '' } = findCause(error, ConfigurationError) ?? {};
  if (mistakes.length < 2) return void host.stderr.write(`provider-kyma: ${visible(messageOf(error))}\n`);
  host.stderr.write(
    `provider-kyma: ${mistakes.length} mistakes in the configuration${page && `; see ${page}`}\n`,
  );
  for (const mistake of mistakes) host.stderr.write(`  ${visible(mistake)}\n`);
}

/** Of the command `start`: programs in Go, whose flags it has, take each with one dash as well. */
function optionsOf(root: Command, name: string | undefined): KnownOptions {
  const start = name === 'start' ? root.commands.find((command) => command.name() === name) : undefined;
  const options = start?.options ?? [];
  return {
    long: new Set(options.flatMap(({ long }) => long ?? [])),
    short: new Set(options.flatMap(({ short }) => short?.slice(1) ?? [])),
  };
}

interface KnownOptions {
  /** With both dashes. */
  readonly long: ReadonlySet<string>;
  /** Letters. */
  readonly short: ReadonlySet<string>;
}

/** kubectl accepts `-o=json`; commander would read the value `=json`. It reads `-debug` as short options. */
const asCommanderTakesIt =
  ({ long, short }: KnownOptions) =>
  (word: string): string => {
    const [name = ''] = /^-[a-z][a-z-]+(?==|$)/.exec(word) ?? [];
    const isLong =
      long.size > 0 &&
      name !== '' &&
      (long.has(`-${name}`) || Object.hasOwn(ALIASES, name.slice(1)) || !short.has(name[1] ?? ''));
    return (isLong ? `-${word}` : word)
      .replace(/^(-[A-Za-z])=(?=.)/, '$1')
      .replace(
        /^--(leader-elect|health-probe-bind-address)(?==|$)/,
        (_, alias: string) => `--${ALIASES[alias]}`,
      );
  };

/** Flags of operators that are built with kubebuilder. */
const ALIASES: Readonly<Record<string, string>> = {
  'leader-elect': 'leader-election',
  'health-probe-bind-address': 'health-probe-bind-addr',
};

/**
 * Errors of this command and those below it about flags and commands that do not exist say what is meant: one that is similar, or
 * else the help that lists all. A flag that is required and mistyped is an unknown one first.
 */
function explainUnknown(command: Command): void {
  command.showSuggestionAfterError(false).configureOutput({
    outputError: (text, write) => write(explanation(command, text) ?? text),
  });
  for (const each of command.commands) explainUnknown(each);
}

function explanation(command: Command, text: string): string | undefined {
  const [, kind, word = ''] = /^error: unknown (option|command) '([^'\n]*)'\n$/.exec(text) ?? [];
  const isRequired = /^error: required option /.test(text);
  const mistyped = isRequired ? command.args.find((arg) => /^--[a-z]/.test(arg)) : word;
  if (mistyped === undefined || (kind === undefined && !isRequired)) return undefined;
  const [name = ''] = kind === 'command' ? [mistyped] : mistyped.split('=', 1);
  const known = kind === 'command' ? namesOf(command) : flagsOf(command);
  const meant = similar(name, known);
  const hint = meant === undefined ? `see ${pathOf(command)} --help` : `did you mean ${meant}?`;
  return `error: unknown ${kind ?? 'option'} '${name}'; ${hint}\n`;
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

const namesOf = (command: Command): readonly string[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name());

const flagsOf = (command: Command): readonly string[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);
