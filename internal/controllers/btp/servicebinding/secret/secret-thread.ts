/** The thread in which Secrets are made from templates: users choose what a template costs. */
import { messageOf } from '../../../../base/errors/errors.ts';
import { serveJobs } from '../../../../process/index.ts';
import { SecretContentError } from './errors.ts';
import type { SecretContent, SecretSource } from './secret-content.ts';

/** Errors lose their class on the way. */
export type SecretAnswer =
  | { readonly content: SecretContent }
  | { readonly refused: { readonly message: string; readonly kind: SecretContentError['kind'] } };

export const url = import.meta.url;

await serveJobs(url, async () => {
  const { secretContent } = await import('./secret-content.ts');
  return (source: SecretSource): SecretAnswer => {
    try {
      return { content: secretContent(source) };
    } catch (error) {
      if (!(error instanceof SecretContentError)) throw error;
      return { refused: { message: messageOf(error), kind: error.kind } };
    }
  };
});
