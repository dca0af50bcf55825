import { Argument, type Command } from 'commander';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';
import { complete } from './complete.ts';
import { completeCommand, completionScript, filesLine, type Shell, shells } from './scripts.ts';

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
