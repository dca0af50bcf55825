import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Descriptor, ImageIndex } from '../../xpkg/images/oci-layout.ts';

/*
 * A registry that can be read: the part of the OCI distribution specification that pulls images. An image is an OCI
 * layout in `<folder>/<host>/<name>/<tag>`, where the host is the registry that the image's reference names. containerd
 * gives it as `ns`, as it does for mirrors; other clients put it before the name.
 */

const REQUEST = /^\/v2\/(?<name>.+)\/(?<kind>manifests|blobs)\/(?<reference>[^/]+)$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** One part of a host, name or tag. Excludes `..`. */
const PART = /^[A-Za-z0-9_][A-Za-z0-9_.:-]*$/;

/** The caller starts and closes it. */
export const registryServer = (folder: string): Server =>
  createServer((request, response) => {
    answer(folder, new URL(request.url ?? '/', 'http://registry'), request.method === 'HEAD', response).catch(
      () => response.destroy(),
    );
  });

async function answer(folder: string, url: URL, headOnly: boolean, response: ServerResponse): Promise<void> {
  if (url.pathname === '/v2/') return void response.end();
  const { name = '', kind, reference = '' } = REQUEST.exec(decodeURIComponent(url.pathname))?.groups ?? {};
  const host = url.searchParams.get('ns');
  const parts = [...(host === null ? [] : [host]), ...name.split('/')];
  const found = parts.every((part) => PART.test(part))
    ? await find(join(folder, ...parts), kind === 'manifests', reference)
    : undefined;
  if (found === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    const code = kind === 'manifests' ? 'MANIFEST_UNKNOWN' : 'BLOB_UNKNOWN';
    return void response.end(JSON.stringify({ errors: [{ code, message: `no ${reference} in ${name}` }] }));
  }
  const { size } = await stat(found.path);
  response.writeHead(200, {
    'content-type': found.mediaType,
    'content-length': size,
    'docker-content-digest': found.digest,
  });
  if (headOnly) return void response.end();
  await pipeline(createReadStream(found.path), response);
}

interface Found {
  readonly path: string;
  readonly digest: string;
  readonly mediaType: string;
}

/** @param folder of an image's name: one layout a tag */
async function find(folder: string, isManifest: boolean, reference: string): Promise<Found | undefined> {
  const blob = (layout: string, digest: string) =>
    join(layout, 'blobs', 'sha256', digest.replace('sha256:', ''));
  if (isManifest && !DIGEST.test(reference)) {
    if (!PART.test(reference)) return undefined;
    const layout = join(folder, reference);
    const entry = await entryOf(layout);
    if (entry === undefined) return undefined;
    return { path: blob(layout, entry.digest), digest: entry.digest, mediaType: entry.mediaType };
  }
  if (!DIGEST.test(reference)) return undefined;
  for (const tag of await readdir(folder).catch(() => [])) {
    const path = blob(join(folder, tag), reference);
    const isThere = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isThere) continue;
    const mediaType = isManifest ? await mediaTypeOf(path) : 'application/octet-stream';
    return { path, digest: reference, mediaType };
  }
  return undefined;
}

async function entryOf(layout: string): Promise<Descriptor | undefined> {
  const text = await readFile(join(layout, 'index.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as ImageIndex).manifests[0];
}

async function mediaTypeOf(manifest: string): Promise<string> {
  const { mediaType = 'application/vnd.oci.image.manifest.v1+json' } = JSON.parse(
    await readFile(manifest, 'utf8'),
  ) as { mediaType?: string };
  return mediaType;
}
