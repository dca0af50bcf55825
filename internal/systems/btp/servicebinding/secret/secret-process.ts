/** The process in which Secrets are made from templates: users choose what a template costs. */
import { messageOf } from '../../../../framework/base/index.ts';

import { serveJobs } from '../../../../framework/process/index.ts';
import type { SecretContent, SecretSource } from './assemble-content.ts';
import { SecretContentError } from './errors.ts';

/** Errors lose their class on the way. */
export type SecretAnswer =
  | { readonly content: SecretContent }
  /** The template is valid. */
  | { readonly parsed: true }
  | { readonly refused: { readonly message: string; readonly kind: SecretContentError['kind'] } };

/** Renders the Secret of a binding, or parses a template only. */
export type SecretJob = SecretSource | { readonly template: string };

export const url = import.meta.url;

await serveJobs(url, async () => {
  const { secretContent } = await import('./secret-content.ts');
  const { assertTemplate } = await import('./template/template-content.ts');
  return (job: SecretJob): SecretAnswer => {
    try {
      if ('binding' in job) return { content: secretContent(job) };
      assertTemplate(job.template);
      return { parsed: true };
    } catch (error) {
      if (!(error instanceof SecretContentError)) throw error;
      return { refused: { message: messageOf(error), kind: error.kind } };
    }
  };
});
