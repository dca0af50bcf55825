import type { Command } from 'commander';
import { similar } from '../framework/base/text/nearest.ts';

/**
 * Errors of this command and those below it about flags and commands that do not exist say what is meant: one that is similar, or
 * else the help that lists all. A flag that is required and mistyped is an unknown one first.
 */
export function explainUnknown(command: Command): void {
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
