/** What the process of templates does. It has the code of templates, which is large. */
import type { SecretContent, SecretSource } from './assemble-content.ts';
import { SecretContentError } from './errors.ts';
import { secretContent } from './secret-content.ts';
import { assertTemplate } from './template/template-content.ts';

/** Renders the Secret of a binding, or parses a template only. */
export type SecretJob = SecretSource | { readonly template: string };

/** Errors lose their class on the way. */
export type SecretAnswer =
  | { readonly content: SecretContent }
  /** The template is valid. */
  | { readonly parsed: true }
  | { readonly refused: { readonly message: string; readonly kind: SecretContentError['kind'] } };

export function answerJob(job: SecretJob): SecretAnswer {
  try {
    if ('binding' in job) return { content: secretContent(job) };
    assertTemplate(job.template);
    return { parsed: true };
  } catch (error) {
    if (!(error instanceof SecretContentError)) throw error;
    return { refused: { message: error.message, kind: error.kind } };
  }
}
