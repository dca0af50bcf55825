import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { shownUrl } from '../model/chart-source.ts';
import type { WantedRevision } from '../model/revision.ts';
import { bearerFor } from '../transport/host-credential.ts';
import type { SourceHttp } from '../transport/source-http.ts';
import { saveDownload } from './download.ts';
import { unpackArchive } from './unpack-archive.ts';

export interface ArchiveSourceOptions {
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
