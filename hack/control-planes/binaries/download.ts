import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { promisify } from 'node:util';
import { type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { describeServer, ETCD_VERSION, KUBERNETES_VERSION, type Server } from './versions.ts';

/** Short, so that a machine without internet access starts the build soon. */
const CONNECT_TIMEOUT_MS = 4_000;

export interface DownloadOptions {
  readonly report: (line: string) => void;
  /** Replaces the network in tests. */
  readonly dispatcher?: Dispatcher;
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
}

/** What to fetch for one server, and where its SHA-256 is published. */
export interface Release {
  readonly url: string;
  readonly checksumUrl: string;
  /** The line of the checksum file to read; absent where the file holds one bare checksum. */
  readonly checksumName?: string;
  /** Path of the binary inside the archive; absent where the file is the binary itself. */
  readonly member?: string;
}

/** @throws where the projects publish no binary for this kind of machine */
export function releaseOf(server: Server, platform: NodeJS.Platform, nodeArch: string): Release {
  const arch = { x64: 'amd64', arm64: 'arm64', ppc64: 'ppc64le', s390x: 's390x' }[nodeArch];
  if (arch === undefined || (platform !== 'linux' && !(platform === 'darwin' && server === 'etcd'))) {
    throw new Error(`no official ${server} for ${platform} on ${nodeArch}`);
  }
  if (server === 'etcd') {
    const base = `https://github.com/etcd-io/etcd/releases/download/v${ETCD_VERSION}`;
    const folder = `etcd-v${ETCD_VERSION}-${platform}-${arch}`;
    const archive = `${folder}.${platform === 'darwin' ? 'zip' : 'tar.gz'}`;
    return {
      url: `${base}/${archive}`,
      checksumUrl: `${base}/SHA256SUMS`,
      checksumName: archive,
      member: `${folder}/etcd`,
    };
  }
  const url = `https://dl.k8s.io/v${KUBERNETES_VERSION}/bin/${platform}/${arch}/${server}`;
  return { url, checksumUrl: `${url}.sha256` };
}

/** Fetches the official binary into `directory`; fails unless its checksum is the published one. */
export async function downloadServer(
  server: Server,
  directory: string,
  options: DownloadOptions,
): Promise<void> {
  const release = releaseOf(server, options.platform ?? process.platform, options.arch ?? process.arch);
  await downloadRelease(
    { name: server, description: describeServer(server), ...release },
    directory,
    options,
  );
}

export interface NamedRelease extends Release {
  /** File name of the binary. */
  readonly name: string;
  /** Its name in messages, with the version. */
  readonly description: string;
}

/** Fetches a binary into `directory`; fails unless its checksum is the published one. */
export async function downloadRelease(
  release: NamedRelease,
  directory: string,
  options: DownloadOptions,
): Promise<void> {
  const { name, url, member } = release;
  const dispatcher =
    options.dispatcher ?? new EnvHttpProxyAgent({ connect: { timeout: CONNECT_TIMEOUT_MS } });
  try {
    const expected = checksumIn(await (await get(release.checksumUrl, dispatcher)).text(), release);
    const file = join(directory, member === undefined ? name : `${name}.archive`);
    const actual = await save(release, file, { ...options, dispatcher });
    if (actual !== expected) {
      throw new Error(`cannot trust ${url}: its SHA-256 is ${actual}, published is ${expected}`);
    }
    if (member !== undefined) await extract(file, member, directory);
    await chmod(join(directory, name), 0o755);
  } finally {
    if (options.dispatcher === undefined) await dispatcher.close();
  }
}

/** Fetches a text, of which no checksum is published. */
export async function downloadText(url: string): Promise<string> {
  const dispatcher = new EnvHttpProxyAgent({ connect: { timeout: CONNECT_TIMEOUT_MS } });
  try {
    return await (await get(url, dispatcher)).text();
  } finally {
    await dispatcher.close();
  }
}

async function get(url: string, dispatcher: Dispatcher) {
  try {
    const response = await fetch(url, { dispatcher });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new Error(`the server answered ${response.status}`);
  } catch (error) {
    // fetch hides what happened in its cause.
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new Error(`cannot download ${url}: ${messageOf(reason)}`, { cause: error });
  }
}

function checksumIn(text: string, { checksumName, checksumUrl }: Release): string {
  const fields = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find((line) => checksumName === undefined || line[1] === checksumName);
  const checksum = fields?.[0];
  if (checksum === undefined || !/^[0-9a-f]{64}$/.test(checksum)) {
    throw new Error(`cannot verify the download: ${checksumUrl} names no checksum for it`);
  }
  return checksum;
}

/** Streams the body to `file` and returns its SHA-256 in hex. */
async function save(
  { url, description }: NamedRelease,
  file: string,
  { report, dispatcher }: DownloadOptions & { readonly dispatcher: Dispatcher },
): Promise<string> {
  const response = await get(url, dispatcher);
  if (response.body === null) throw new Error(`cannot download ${url}: the answer has no body`);
  const size = Number(response.headers.get('content-length'));
  report(`downloading ${description} from ${new URL(url).host}, ${(size / 1e6).toFixed(0)} MB`);
  const hash = createHash('sha256');
  const measure = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(Readable.fromWeb(response.body as ReadableStream), measure, createWriteStream(file));
  return hash.digest('hex');
}

/** The tar of Linux reads tar.gz and that of macOS zip too, which is what etcd publishes for each. */
async function extract(archive: string, member: string, directory: string): Promise<void> {
  await promisify(execFile)('tar', [
    '-xf',
    archive,
    '-C',
    directory,
    `--strip-components=${member.split('/').length - 1}`,
    member,
  ]);
  await rm(archive);
}
