import { Argument, type Command, type Option } from 'commander';
import type { ProcessLike } from '../framework/module/console/process-like.ts';

/**
 * Adds `completion`, which prints a shell's script, and the hidden command that the script calls. The hidden command
 * prints one candidate per line, a tab and its description, and `:files` last if a path can follow.
 */
export function addCompletionCommands(root: Command, host: ProcessLike): void {
  root
    .command('completion')
    .summary('print a completion script for a shell')
    .description(
      'Prints a completion script for a shell. bash: source <(provider-kyma completion bash); zsh: save it as _provider-kyma on your fpath; fish: provider-kyma completion fish | source',
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .action((shell: Shell) => {
      host.stdout.write(completionScript(shell));
    });
  root
    .command(completeCommand, { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      const { candidates, files } = complete(root, words);
      const lines = candidates.map(({ word, description }) => `${word}\t${description}`);
      for (const line of [...lines, ...(files ? [filesLine] : [])]) host.stdout.write(`${line}\n`);
    });
}

/** A word that can follow, and its description. */
interface Candidate {
  readonly word: string;
  readonly description: string;
}

interface Completion {
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

// Completion scripts for shells. They call the program for candidates.

export const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** The hidden command; see `addCompletionCommands` for its output. */
export const completeCommand = '__complete';

/** The last line if a path can follow. */
const filesLine = ':files';

export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return bash;
    case 'zsh':
      return zsh;
    case 'fish':
      return fish;
    default:
      return shell satisfies never;
  }
}

const bash = `# bash completion for provider-kyma. Source it: source <(provider-kyma completion bash)
_provider_kyma() {
  local line word files= current="\${COMP_WORDS[COMP_CWORD]}"
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # Bash takes --flag=value for three words.
  if [[ $current == = ]]; then
    words=("\${COMP_WORDS[@]:1:COMP_CWORD-2}" "\${COMP_WORDS[COMP_CWORD-1]}=")
  elif (( COMP_CWORD > 2 )) && [[ \${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
    words=("\${COMP_WORDS[@]:1:COMP_CWORD-3}" "\${COMP_WORDS[COMP_CWORD-2]}=$current")
  fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ${filesLine} ]]; then files=1; continue; fi
    word="\${line%%$'\\t'*}"
    [[ $word == --*=* ]] && word="\${word#*=}"
    COMPREPLY+=("$word")
  done < <("\${COMP_WORDS[0]}" ${completeCommand} -- "\${words[@]}" 2>/dev/null)
  if [[ -n $files ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${current#=}")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _provider_kyma provider-kyma
`;

const zsh = `#compdef provider-kyma
# zsh completion for provider-kyma. Put it on fpath as _provider-kyma, or source it after compinit.
_provider_kyma() {
  local line word about files=
  local -a described
  for line in "\${(@f)$("\${words[1]}" ${completeCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $line ]] && continue
    if [[ $line == ${filesLine} ]]; then files=1; continue; fi
    word="\${line%%$'\\t'*}"
    about="\${line#*$'\\t'}"
    described+=("\${word//:/\\\\:}\${about:+:$about}")
  done
  (( \${#described} )) && _describe 'provider-kyma' described
  [[ -n $files ]] && _files
}
if [ "$funcstack[1]" = "_provider_kyma" ] || [ "$funcstack[1]" = "_provider-kyma" ]; then
  _provider_kyma
else
  compdef _provider_kyma provider-kyma
fi
`;

const fish = `# fish completion for provider-kyma. Source it: provider-kyma completion fish | source
function __provider_kyma_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] ${completeCommand} -- $words[2..-1] 2>/dev/null)
    if test "$line" = "${filesLine}"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c provider-kyma -f -a '(__provider_kyma_complete)'
`;
