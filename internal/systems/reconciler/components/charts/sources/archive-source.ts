import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { compoundKey } from '../../../../../framework/base/index.ts';
import { SourceError, shownUrl, type WantedRevision } from './chart-source.ts';
import { bearerFor, type SourceHttp } from './source-http.ts';
import { type UnpackJobs, unpackWith } from './unpack-jobs.ts';

interface ArchiveSourceOptions {
  readonly http: SourceHttp;
  /** Bearer token of the request; default none. */
  readonly token?: string | undefined;
  readonly jobs: UnpackJobs;
}

/** An archive at a URL. It is fetched once: another content needs another URL, or another checksum in its fragment. */
export function archiveRevision(
  { url, sha256, name }: { readonly url: URL; readonly sha256: string | undefined; readonly name: string },
  { http, token, jobs }: ArchiveSourceOptions,
): WantedRevision {
  return {
    // What was fetched with the token is for those who may use it.
    name: `${createHash('sha1')
      .update(token === undefined ? url.href : compoundKey(url.href, 'token'))
      .digest('hex')}-${name}`,
    source: shownUrl(url),
    revision: undefined,
    fetch: async ({ content, scratch, limits, tenant, signal }) => {
      const credential = token === undefined ? undefined : bearerFor(url, token);
      const { body } = await http.send(
        { url, credential, maxBytes: limits.maxDownloadBytes, tenant },
        signal,
      );
      const file = join(scratch, 'archive');
      const digest = await saveDownload(body, file, sha256);
      const job = { make: 'files of an archive', file, content, limits } as const;
      return { revision: `sha256:${digest}`, ...(await unpackWith(jobs, job, { tenant, signal })) };
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
