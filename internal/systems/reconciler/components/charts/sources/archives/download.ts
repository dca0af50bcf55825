import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { SourceError } from '../model/source-error.ts';

/**
 * Writes the bytes to a new file and checks their digest.
 *
 * @param sha256 in hexadecimal, if it is known
 * @returns the digest
 * @throws SourceError if the digest is another one
 */
export async function saveDownload(
  content: AsyncIterable<Uint8Array>,
  path: string,
  sha256?: string,
): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  const digest = hash.digest('hex');
  if (sha256 !== undefined && digest !== sha256) {
    throw new SourceError('terminal', `the content has the digest sha256:${digest}, not sha256:${sha256}`);
  }
  return digest;
}
