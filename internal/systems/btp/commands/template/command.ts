import type { Command } from 'commander';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { type RenderFlags, renderExitCodes } from './render-flags.ts';

/** Adds `template`, with `render`. It reads files only, and connects to nothing. */
export function addTemplateCommand(root: Command, host: ProcessLike): void {
  const render = root
    .command('template')
    .description('Commands for spec.secretTemplate of ServiceBindings')
    .command('render')
    .summary('render a Secret template with data of a file')
    .description(
      'Renders a template as a ServiceBinding with this spec.secretTemplate would, with data of a file instead of credentials of Service Manager. Connects to nothing.',
    )
    .requiredOption('--template <file>', 'the template; - for stdin')
    .option(
      '--data <file>',
      'JSON or YAML with credentials and instance, as the template sees them; - for stdin. Default: both are empty',
    )
    .option('--name <name>', 'name of the template in errors (default: the name of the file)')
    .option('--secret', 'also check that the output is a Secret that a binding can have')
    .option(
      '--explain',
      'print for each action the commands of its pipeline with the types of their values, instead of the output',
    )
    .option('--show-values', 'with --explain, and in errors: values too, which may be credentials');
  render
    .addHelpText(
      'after',
      `\nExit codes: ${renderExitCodes.rendered} the template was rendered; ${renderExitCodes.failed} the template or the Secret is invalid, or a file cannot be read; ${renderExitCodes.usage} the command line is invalid`,
    )
    .action(async (flags: RenderFlags) => {
      if (flags.template === '-' && flags.data === '-') {
        render.error('error: standard input is either the template or the data');
      }
      const { runRender } = await import('./run-render.ts');
      host.exitCode = await runRender(flags, host);
    });
}
