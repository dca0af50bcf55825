import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import type { ProcessLike } from '../console/process-like.ts';

/** The file name of standard input. */
export const STDIN = '-';

/** The text of a file, or of standard input for `-`. @throws ProviderError that names the file */
export async function readText(file: string, stdin: ProcessLike['stdin']): Promise<string> {
  if (file !== STDIN) {
    return readFile(file, 'utf8').catch((error: unknown) => {
      throw cannotRead(file, error);
    });
  }
  if (stdin === undefined) throw new ProviderError('terminal', 'cannot read standard input: there is none');
  return (await buffer(stdin as AsyncIterable<Uint8Array>)).toString('utf8');
}

export const cannotRead = (file: string, error: unknown): ProviderError =>
  new ProviderError('terminal', `cannot read ${file}: ${messageOf(error)}`);
