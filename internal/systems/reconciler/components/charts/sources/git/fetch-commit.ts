import { join } from 'node:path';
import { saveDownload } from '../archives/archive-source.ts';
import { type FetchWork, refused, SourceError } from '../chart-source.ts';
import type { GitRepository } from './git-revision.ts';
import type { GitFiles, GitJob, GitResult } from './perform-git-job.ts';

/** Performs jobs in processes of their own; rejects with the signal's reason once the job has ended. */
export interface GitJobs {
  unpack(job: GitJob, options: { readonly tenant: string; readonly signal: AbortSignal }): Promise<GitResult>;
}

export interface FetchCommitOptions extends Pick<FetchWork, 'content' | 'scratch' | 'limits' | 'signal'> {
  readonly jobs: GitJobs;
  readonly tenant: string;
}

/**
 * Fetches one commit without its history and writes its files. Here its bytes are only saved.
 *
 * @throws SourceError beyond a limit, and for paths that are refused
 */
export async function fetchCommit(
  repository: GitRepository,
  commit: string,
  { jobs, tenant, content, scratch, limits, signal }: FetchCommitOptions,
): Promise<GitFiles> {
  const pack = join(scratch, 'pack');
  await saveDownload(fetchPack(repository, commit), pack);
  repository.http.assertComplete();
  const job: GitJob = { make: 'files of a commit', pack, commit, content, limits };
  const result = await jobs.unpack(job, { tenant, signal });
  if ('refused' in result) throw new SourceError(result.refused.kind, result.refused.message);
  return result;
}

/**
 * The pack of one commit without its history, as it comes: it is in memory nowhere.
 *
 * @throws SourceError if the server has no such commit, cannot leave out the history, or breaks off
 */
async function* fetchPack(
  { http, url }: GitRepository,
  commit: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { getRemoteInfo2 } = await import('./git-library.ts');
  const { capabilities } = await getRemoteInfo2({ http, url, protocolVersion: 1 });
  for (const needed of ['shallow', 'side-band-64k']) {
    if (capabilities[needed] === undefined)
      throw refused(`${url} cannot send a revision without its history (it has no ${needed})`);
  }
  const { body } = await http.request({
    url: `${url}/git-upload-pack`,
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
    },
    body: only(
      Buffer.concat([
        packet(`want ${commit} side-band-64k ofs-delta no-progress agent=git/provider-kyma\n`),
        packet('deepen 1\n'),
        FLUSH,
        packet('done\n'),
      ]),
    ),
  });
  if (body !== undefined) yield* packOf(packets(body, url), url);
}

/** What comes after the lines about shallow commits, which end with a NAK (gitprotocol-pack). */
async function* packOf(
  received: AsyncIterable<Buffer | undefined>,
  url: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isAcknowledged = false;
  for await (const content of received) {
    if (!isAcknowledged) {
      // The server quotes what was asked for, and may say anything.
      if (content?.toString('latin1', 0, 4) === 'ERR ') throw notSent(url);
      isAcknowledged = content !== undefined && /^(?:NAK|ACK )/.test(content.toString('latin1', 0, 4));
      continue;
    }
    // The end of the pack.
    if (content === undefined) return;
    const [band] = content;
    if (band === DATA) yield content.subarray(1);
    else if (band !== PROGRESS) throw notSent(url);
  }
  throw new SourceError('transient', `the answer of ${url} has no end`);
}

/** Bands of side-band-64k; the third one is for errors. */
const [DATA, PROGRESS] = [1, 2];
const FLUSH = Buffer.from('0000');
const LENGTH_BYTES = 4;

/** Contents of packets; undefined for a flush (gitprotocol-common). */
async function* packets(
  chunks: AsyncIterable<Uint8Array>,
  url: string,
): AsyncGenerator<Buffer | undefined, void, undefined> {
  /** Joined once a packet is whole: a server may send each byte by itself. */
  let parts: Uint8Array[] = [];
  let size = 0;
  let needed = LENGTH_BYTES;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    const received = Buffer.concat(parts);
    let at = 0;
    for (;;) {
      needed = LENGTH_BYTES;
      if (received.length - at < needed) break;
      const digits = received.toString('latin1', at, at + LENGTH_BYTES);
      const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
      if (length !== 0 && length < LENGTH_BYTES)
        throw refused(`${url} is not a Git repository that is served by the smart HTTP protocol`);
      needed = Math.max(length, LENGTH_BYTES);
      if (received.length - at < needed) break;
      yield length === 0 ? undefined : received.subarray(at + LENGTH_BYTES, at + length);
      at += needed;
    }
    parts = [received.subarray(at)];
    size = received.length - at;
  }
}

function packet(text: string): Buffer {
  const length = LENGTH_BYTES + Buffer.byteLength(text);
  return Buffer.from(length.toString(16).padStart(LENGTH_BYTES, '0') + text);
}

const notSent = (url: string) => new SourceError('not-found', `${url} did not send the revision`);

async function* only(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield chunk;
}
