import { SourceError } from '../chart-source.ts';
import { AGENT, DELIMITER, FLUSH, type GitRepository, notSmart, packet, packets } from './git-http.ts';

/**
 * Reads what references name. A server may have millions, and may say anything: it is asked for those alone that are needed (protocol
 * version 2), and of what it sends no others are kept.
 */

const SERVICE = '# service=git-upload-pack';
const VERSION_2 = 'version 2';
const ADVERTISEMENT = 'application/x-git-upload-pack-advertisement';

/**
 * The commits of references by their names, without those that the server does not have. An annotated tag is an object of its own, which
 * names the commit.
 */
export async function readReferences(
  repository: GitRepository,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const objects = new Map<string, string>();
  const commits = new Map<string, string>();
  const visit: Visit = (line) => {
    const [, object = '', name = '', rest = ''] = /^([0-9a-f]{40}) ([^\0 ]+)(.*)$/s.exec(line) ?? [];
    const peeled = /^ (?:.* )?peeled:([0-9a-f]{40})(?: |$)/.exec(rest)?.[1];
    if (peeled !== undefined && names.includes(name)) commits.set(name, peeled);
    if (name.endsWith('^{}') && names.includes(name.slice(0, -3))) commits.set(name.slice(0, -3), object);
    else if (names.includes(name)) objects.set(name, object);
    return MORE;
  };
  const version = await eachAdvertised(repository, 2, visit);
  if (version === 2) {
    const { http, url } = repository;
    const { body } = await http.request({
      url: `${url}/git-upload-pack`,
      headers: { ...versionHeader(2), ...UPLOAD_PACK },
      body: Buffer.concat([
        packet('command=ls-refs\n'),
        packet(`agent=${AGENT}`),
        DELIMITER,
        packet('peel\n'),
        ...names.map((name) => packet(`ref-prefix ${name}\n`)),
        FLUSH,
      ]),
    });
    await eachLine(body, url, visit);
  }
  return new Map([...objects, ...commits]);
}

/** The capabilities of the first version of the protocol, by which a pack is fetched. */
export async function readCapabilities(repository: GitRepository): Promise<ReadonlySet<string>> {
  let capabilities: readonly string[] = [];
  await eachAdvertised(repository, 0, (line) => {
    capabilities = line.split('\0', 2)[1]?.split(' ') ?? [];
    return ENOUGH;
  });
  return new Set(capabilities);
}

export const UPLOAD_PACK = {
  'content-type': 'application/x-git-upload-pack-request',
  accept: 'application/x-git-upload-pack-result',
};

const versionHeader = (version: 0 | 2): Readonly<Record<string, string>> =>
  version === 0 ? {} : { 'git-protocol': `version=${version}` };

/** `enough`: the rest of the answer need not be read. */
const [MORE, ENOUGH] = ['more', 'enough'] as const;
type Visit = (line: string) => typeof MORE | typeof ENOUGH;

/**
 * Calls `visit` with each reference that the server advertises.
 *
 * @param asked the version of the protocol; servers may use an earlier one
 * @returns 2: the server advertises none, but can be asked
 */
async function eachAdvertised({ http, url }: GitRepository, asked: 0 | 2, visit: Visit): Promise<0 | 2> {
  const { headers, body } = await http.request({
    url: `${url}/info/refs?service=git-upload-pack`,
    headers: versionHeader(asked),
  });
  // Some servers add a charset.
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== ADVERTISEMENT) throw notSmart(url);
  let version: 0 | 2 = 0;
  let isFirst = true;
  await eachLine(body, url, (line) => {
    if (line === VERSION_2) {
      version = 2;
      return ENOUGH;
    }
    if (isFirst && line !== SERVICE) throw notSmart(url);
    isFirst = false;
    return line === SERVICE || line === 'version 1' ? MORE : visit(line);
  });
  return version;
}

/** @throws SourceError if the server refuses, or breaks off */
async function eachLine(body: AsyncIterable<Uint8Array>, url: string, visit: Visit): Promise<void> {
  let hasEnded = false;
  for await (const contents of packets(body, url)) {
    for (const content of contents) {
      hasEnded = content === undefined;
      if (content === undefined) continue;
      const line = content.toString().replace(/\n$/, '');
      // It quotes what was asked for, and may be anything.
      if (line.startsWith('ERR ')) throw new SourceError('not-found', `${url} gives no references`);
      if (visit(line) === ENOUGH) return;
    }
  }
  if (!hasEnded) throw new SourceError('transient', `the answer of ${url} has no end`);
}
