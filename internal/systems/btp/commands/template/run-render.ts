import { basename } from 'node:path';
import { visible, visibleLines } from '../../../../framework/base/text/visible.ts';
import { readText, STDIN } from '../../../../framework/module/commands/read-text.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { parseTemplate, SPRIG_FUNCTIONS } from '../../../../templates/gotemplate/index.ts';
import {
  parseSecretDocument,
  type SecretDocument,
  SecretDocumentError,
} from '../../servicebinding/secret/template/secret-document.ts';
import { Explanation } from './explanation.ts';
import { failureText } from './failure.ts';
import { type RenderFlags, renderExitCodes } from './render-flags.ts';
import { parseTemplateData } from './template-data.ts';

/** Prints the output or the explanation; an error goes to stderr. @returns the exit code */
export async function runRender(flags: RenderFlags, host: ProcessLike): Promise<number> {
  const { showValues = false } = flags;
  const source = await readText(flags.template, host.stdin);
  const data = parseTemplateData(
    flags.data === undefined ? '' : await readText(flags.data, host.stdin),
    flags.data ?? '',
  );
  const explanation = flags.explain ? new Explanation(showValues) : undefined;
  try {
    const name = flags.name ?? (flags.template === STDIN ? 'stdin' : basename(flags.template));
    const template = parseTemplate(name, source, { functions: SPRIG_FUNCTIONS });
    const output = template.execute(data, explanation && { trace: (step) => explanation.add(step) });
    if (!output.isWellFormed()) throw new SecretDocumentError('the output is not valid UTF-8');
    if (explanation) host.stdout.write(explanation.text(source));
    // Escaped on a terminal only, so that a file gets the output as it is.
    else host.stdout.write(host.stdout.isTTY ? visibleLines(output) : output);
    if (flags.secret) host.stderr.write(`${secretText(parseSecretDocument(output))}\n`);
    return renderExitCodes.rendered;
  } catch (error) {
    const text =
      error instanceof SecretDocumentError ? visible(error.message) : failureText(error, source, showValues);
    if (text === undefined) throw error;
    // What was executed before the error explains it.
    if (explanation && !(error instanceof SecretDocumentError)) host.stdout.write(explanation.text(source));
    host.stderr.write(`provider-kyma: ${text}\n`);
    return renderExitCodes.failed;
  }
}

/** Names of keys, no values. */
function secretText({ data, labels, annotations }: SecretDocument): string {
  const keys = Object.keys(data);
  const marks = [
    ['labels', labels],
    ['annotations', annotations],
  ] as const;
  const others = marks.map(([what, of]) => `${Object.keys(of).length} ${what}`).join(', ');
  const entries =
    keys.length === 0
      ? 'no entries of its own, so it gets those of a binding without a template'
      : `entries ${keys.map(visible).join(', ')}`;
  return `The Secret is valid: ${entries}; ${others}.`;
}
