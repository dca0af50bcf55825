import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { saveDownload } from '../archives/download.ts';
import { unpackTarGz } from '../archives/unpack-tar.ts';
import type { WantedRevision } from '../model/revision.ts';
import { requestsOf, type SourceHttp } from '../transport/source-http.ts';
import { ociReferenceOf } from './oci-reference.ts';
import { openRegistry } from './oci-registry.ts';

/** The chart that a tag of a registry names now, as a revision of the cache. */
export async function ociRevision(
  { url, version, name }: { readonly url: URL; readonly version: string; readonly name: string },
  {
    http,
    scheme,
    tenant: asking,
  }: { readonly http: SourceHttp; readonly scheme: 'https' | 'http'; readonly tenant: string },
  signal: AbortSignal,
): Promise<WantedRevision> {
  const reference = ociReferenceOf(url, version);
  const open = (tenant: string) => openRegistry(reference, { http: requestsOf(tenant, http), scheme });
  const asked = open(asking);
  const layer = await asked.chartLayer(signal);
  const source = `oci://${reference.host}/${reference.repository}`;
  const sha256 = layer.digest.slice('sha256:'.length);
  return {
    // A registry of others may name the same layer: what it gave, and how long it took, is not for those who ask another one.
    name: `${sha256}-${createHash('sha256').update(source).digest('hex').slice(0, 12)}-${name}`,
    source,
    revision: layer.digest,
    fetch: async ({ target, scratch, limits, tenant, signal: until }) => {
      // The registry has given its token to the tenant that asked.
      const registry = tenant === asking ? asked : open(tenant);
      const file = join(scratch, 'layer');
      await saveDownload(await registry.layer(layer, limits.maxDownloadBytes, until), file, sha256);
      await unpackTarGz(file, target, limits, until);
      return { revision: layer.digest, leftOut: [] };
    },
  };
}
