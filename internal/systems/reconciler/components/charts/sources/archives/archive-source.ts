import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceError, shownUrl, type WantedRevision } from '../chart-source.ts';
import { bearerFor, type SourceHttp } from '../source-http.ts';
import { unpackArchive } from './unpack-archive.ts';

interface ArchiveSourceOptions {
  readonly http: SourceHttp;
  /** Bearer token of the request; default none. */
  readonly token?: string | undefined;
}

/** An archive at a URL. It is fetched once: another content needs another URL, or another checksum in its fragment. */
export function archiveRevision(
  { url, sha256, name }: { readonly url: URL; readonly sha256: string | undefined; readonly name: string },
  { http, token }: ArchiveSourceOptions,
): WantedRevision {
  return {
    name: `${createHash('sha1').update(url.href).digest('hex')}-${name}`,
    source: shownUrl(url),
    revision: undefined,
    fetch: async ({ target, scratch, limits, tenant, signal }) => {
      const credential = token === undefined ? undefined : bearerFor(url, token);
      const { body } = await http.send(
        { url, credential, maxBytes: limits.maxDownloadBytes, tenant },
        signal,
      );
      const file = join(scratch, 'archive');
      const digest = await saveDownload(body, file, sha256);
      await unpackArchive(file, target, limits, signal);
      return { revision: `sha256:${digest}`, leftOut: [] };
    },
  };
}

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
