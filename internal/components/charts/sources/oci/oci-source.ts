import { join } from 'node:path';
import { saveDownload } from '../archives/download.ts';
import { unpackTarGz } from '../archives/unpack-tar.ts';
import type { WantedRevision } from '../model/revision.ts';
import type { SourceHttp } from '../transport/source-http.ts';
import { ociReferenceOf } from './oci-reference.ts';
import { openRegistry } from './oci-registry.ts';

/** The chart that a tag of a registry names now, as a revision of the cache. */
export async function ociRevision(
  { url, version, name }: { readonly url: URL; readonly version: string; readonly name: string },
  { http, scheme }: { readonly http: SourceHttp; readonly scheme: 'https' | 'http' },
  signal: AbortSignal,
): Promise<WantedRevision> {
  const reference = ociReferenceOf(url, version);
  const registry = openRegistry(reference, { http, scheme });
  const layer = await registry.chartLayer(signal);
  const sha256 = layer.digest.slice('sha256:'.length);
  return {
    name: `${sha256}-${name}`,
    source: `oci://${reference.host}/${reference.repository}`,
    revision: layer.digest,
    host: url.host,
    fetch: async ({ target, scratch, limits, signal: until }) => {
      const file = join(scratch, 'layer');
      await saveDownload(await registry.layer(layer, limits.maxDownloadBytes, until), file, sha256);
      await unpackTarGz(file, target, limits, until);
      return { revision: layer.digest, leftOut: [] };
    },
  };
}
