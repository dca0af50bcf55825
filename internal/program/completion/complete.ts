import type { Command, Option } from 'commander';

/** A word that can follow, and its description. */
export interface Candidate {
  readonly word: string;
  readonly description: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** A path can follow; the shell completes it. */
  readonly files: boolean;
}

/**
 * The words that can follow in a command line, from the definitions of the commands.
 *
 * @param words after the program's name; the last one is incomplete and may be empty
 */
export function complete(root: Command, words: readonly string[]): Completion {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const command = commandOf(root, before);
  const none = { candidates: [], files: false };
  if (before.includes('--')) return none;
  const [flag = '', value] = typed.startsWith('--') ? typed.split('=', 2) : [];
  if (value !== undefined) {
    const option = optionNamed(command, flag);
    const completed = option === undefined ? none : valuesOf(option, value);
    return {
      ...completed,
      candidates: completed.candidates.map((each) => ({ ...each, word: `${flag}=${each.word}` })),
    };
  }
  const pending = optionNamed(command, before.at(-1) ?? '');
  if (pending?.required) return valuesOf(pending, typed);
  const all: Candidate[] = typed.startsWith('-')
    ? command.createHelp().visibleOptions(command).flatMap(wordsOf)
    : [...subcommandsOf(command), ...argumentsOf(command)];
  return { candidates: all.filter(({ word }) => word.startsWith(typed)), files: false };
}

function commandOf(root: Command, words: readonly string[]): Command {
  let command = root;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next !== undefined) command = next;
  }
  return command;
}

const optionNamed = (command: Command, word: string): Option | undefined =>
  word.startsWith('-')
    ? command.options.find(({ long, short }) => long === word || short === word)
    : undefined;

function wordsOf({ long, short, description }: Option): Candidate[] {
  return [long, short].flatMap((word) =>
    word === undefined || word === null ? [] : [{ word, description }],
  );
}

function valuesOf({ argChoices, flags }: Option, typed: string): Completion {
  const candidates = (argChoices ?? [])
    .filter((choice) => choice.startsWith(typed))
    .map((word) => ({ word, description: '' }));
  const isPath = /<(path|file)>|--kubeconfig/.test(flags);
  return { candidates, files: isPath };
}

function subcommandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), description: each.summary() || each.description() }));
}

function argumentsOf(command: Command): Candidate[] {
  return command.registeredArguments.flatMap(({ argChoices }) =>
    (argChoices ?? []).map((word) => ({ word, description: '' })),
  );
}
