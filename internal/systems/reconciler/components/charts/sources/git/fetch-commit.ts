import { join } from 'node:path';
import { saveDownload } from '../archive-source.ts';
import { type FetchWork, refused, SourceError } from '../chart-source.ts';
import { type UnpackedFiles, type UnpackJobs, unpackWith } from '../unpack-jobs.ts';
import { AGENT, FLUSH, type GitRepository, packet, packets } from './git-http.ts';
import { readCapabilities, UPLOAD_PACK } from './references.ts';

export interface FetchCommitOptions extends Pick<FetchWork, 'content' | 'scratch' | 'limits' | 'signal'> {
  readonly jobs: UnpackJobs;
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
): Promise<UnpackedFiles> {
  const pack = join(scratch, 'pack');
  await saveDownload(fetchPack(repository, commit), pack);
  const job = { make: 'files of a commit', pack, commit, content, limits } as const;
  return await unpackWith(jobs, job, { tenant, signal });
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
  const capabilities = await readCapabilities({ http, url });
  for (const needed of ['shallow', 'side-band-64k']) {
    if (!capabilities.has(needed))
      throw refused(`${url} cannot send a revision without its history (it has no ${needed})`);
  }
  const { body } = await http.request({
    url: `${url}/git-upload-pack`,
    headers: UPLOAD_PACK,
    body: Buffer.concat([
      packet(`want ${[commit, ...askedOf(capabilities)].join(' ')}\n`),
      packet('deepen 1\n'),
      FLUSH,
      packet('done\n'),
    ]),
  });
  yield* packOf(packets(body, url), url);
}

/** Of the capabilities of a server those that are used. One that it does not have may not be asked for (gitprotocol-capabilities). */
function askedOf(capabilities: ReadonlySet<string>): readonly string[] {
  // There is nothing to acknowledge, but Azure DevOps refuses clients that could not take several acknowledgements.
  const acknowledgement = capabilities.has('multi_ack_detailed') ? 'multi_ack_detailed' : 'multi_ack';
  const wanted = ['side-band-64k', acknowledgement, 'ofs-delta', 'no-progress'];
  const hasAgent = [...capabilities].some((each) => each.startsWith('agent='));
  return [...wanted.filter((each) => capabilities.has(each)), ...(hasAgent ? [`agent=${AGENT}`] : [])];
}

/** What comes after the lines about shallow commits, which end with a NAK (gitprotocol-pack). */
async function* packOf(
  received: AsyncIterable<readonly (Buffer | undefined)[]>,
  url: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isAcknowledged = false;
  for await (const contents of received) {
    const parts: Uint8Array[] = [];
    let hasEnded = false;
    for (const content of contents) {
      if (!isAcknowledged) {
        // The server quotes what was asked for, and may say anything.
        if (content?.toString('latin1', 0, 4) === 'ERR ') throw notSent(url);
        isAcknowledged = content !== undefined && /^(?:NAK|ACK )/.test(content.toString('latin1', 0, 4));
        continue;
      }
      // The end of the pack.
      if (content === undefined) {
        hasEnded = true;
        break;
      }
      const [band] = content;
      if (band === DATA) parts.push(content.subarray(1));
      else if (band !== PROGRESS) throw notSent(url);
    }
    if (parts.length > 0) yield Buffer.concat(parts);
    if (hasEnded) return;
  }
  throw new SourceError('transient', `the answer of ${url} has no end`);
}

/** Bands of side-band-64k; the third one is for errors. */
const [DATA, PROGRESS] = [1, 2];

const notSent = (url: string) => new SourceError('not-found', `${url} did not send the revision`);
