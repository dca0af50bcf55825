import { type ErrorKind, ProviderError } from '../../../../../framework/base/index.ts';

/** Where the files of a chart come from. */
export type ChartSource =
  | { readonly kind: 'local' }
  /** A version of the repository of Kyma: charts of all components. */
  | { readonly kind: 'kyma'; readonly url: URL; readonly version: string }
  | { readonly kind: 'git'; readonly url: URL; readonly version: string }
  | { readonly kind: 'archive'; readonly url: URL; readonly sha256: string | undefined }
  | { readonly kind: 'oci'; readonly url: URL; readonly version: string };

export interface SourceRequest {
  readonly component: string;
  readonly version: string;
  /** Of the component; empty: a version of Kyma. */
  readonly url: string;
  /** Whose share of fetches it takes. Default: that of the program itself. */
  readonly tenant?: string;
}

/** The version that means the storage folder itself. */
const LOCAL = 'local';
/** In characters. */
const MAX_URL = 2048;
const MAX_VERSION = 256;

/**
 * The source that a request names: by the ending `.git` or the scheme `oci:`, else an archive.
 *
 * @param kymaRepository the repository of versions without a URL
 * @throws SourceError of kind `terminal`
 */
export function sourceOf({ component, version, url }: SourceRequest, kymaRepository: URL): ChartSource {
  assertComponent(component);
  assertVersion(version);
  if (url === '')
    return version === LOCAL ? { kind: 'local' } : { kind: 'kyma', url: kymaRepository, version };
  const parsed = url.length <= MAX_URL ? URL.parse(url) : null;
  if (parsed === null || parsed.hostname === '')
    throw refused(`the URL of component ${component} is invalid`);
  if (parsed.protocol === 'oci:') return { kind: 'oci', url: parsed, version };
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') {
    throw refused(`the URL of component ${component} begins with ${parsed.protocol}, not https: or oci:`);
  }
  if (parsed.pathname.endsWith('.git')) return { kind: 'git', url: parsed, version };
  return { kind: 'archive', url: parsed, sha256: checksumOf(parsed) };
}

/** The checksum is in the fragment, which no server receives: `https://example.com/chart.tgz#sha256=…`. */
function checksumOf({ hash }: URL): string | undefined {
  if (hash === '') return undefined;
  const sha256 = /^#sha256=([0-9a-f]{64})$/i.exec(hash)?.[1];
  if (sha256 === undefined) throw refused('the fragment of the URL is not sha256= and 64 hexadecimal digits');
  return sha256.toLowerCase();
}

/** It becomes part of a path. */
function assertComponent(component: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(component)) return;
  throw refused('the name of the component is not 1 to 100 letters, digits, dots, dashes and underscores');
}

function assertVersion(version: string): void {
  const isReference = version === '' || /^[A-Za-z0-9_][A-Za-z0-9_./+-]*$/.test(version);
  if (isReference && version.length <= MAX_VERSION && !version.includes('..')) return;
  throw refused('the version is not the name of a branch, tag, pull request or commit');
}

/** For messages: without user, password, query and fragment. */
export const shownUrl = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`;

/** A folder that gets the files of an untrusted source, within limits of size and number. */
export interface TargetFolder {
  /** Files and folders. */
  readonly files: number;
  readonly bytes: number;
  /** @throws SourceError for an unsafe path, or beyond a limit */
  addFolder(path: string): Promise<void>;
  /** @throws SourceError for an unsafe path, one that was there before, or beyond a limit */
  addFile(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
}

/** What the cache knows of a fetched revision. */
export interface RevisionFacts {
  /** Without credentials. */
  readonly source: string;
  /** A commit or a digest. */
  readonly revision: string;
  readonly bytes: number;
  readonly files: number;
  /** Symbolic links and submodules of a Git repository, which are not in the folder. */
  readonly leftOut: readonly string[];
}

/** A revision by the name of its folder, and how it is fetched. */
export interface WantedRevision {
  readonly name: string;
  /** Without credentials. */
  readonly source: string;
  /** Undefined: any that was fetched from the source. */
  readonly revision: string | undefined;
  fetch(work: FetchWork): Promise<Omit<RevisionFacts, 'source'>>;
}

export interface FetchWork {
  /** The folder that becomes that of the revision. */
  readonly content: string;
  /** An empty folder that is removed afterwards. */
  readonly scratch: string;
  readonly limits: SourceLimits;
  /** Whose share of the processes it takes. */
  readonly tenant: string;
  /** Ends with the time of a fetch, or when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** What one source may make the program download, store and wait for. Each limit holds for one fetch. */
export interface SourceLimits {
  /** Bytes of an archive, of a layer, or of the pack of a Git server. */
  readonly maxDownloadBytes: number;
  /** Bytes of all files, unpacked. */
  readonly maxUnpackedBytes: number;
  /** Bytes of one file, unpacked. */
  readonly maxFileBytes: number;
  /** Files and folders together. */
  readonly maxFiles: number;
  /** Time of a fetch, from the first request to the last file, in ms. */
  readonly fetchTimeoutMs: number;
}

/** The repository of Kyma has 5,000 files and a pack of 20 MB. */
export const defaultSourceLimits: SourceLimits = {
  maxDownloadBytes: 64 * 1024 * 1024,
  maxUnpackedBytes: 256 * 1024 * 1024,
  maxFileBytes: 16 * 1024 * 1024,
  maxFiles: 20_000,
  fetchTimeoutMs: 5 * 60_000,
};

/**
 * A source cannot be used, or its content is refused: `not-found` (no such revision, repository or file), `auth` (refused
 * credentials), `transient` (network), `terminal` (content that stays refused until the source changes).
 */
export class SourceError extends ProviderError {
  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(kind, message, options);
  }
}

/** The content of a source is refused: a retry gives the same. */
export const refused = (message: string): SourceError => new SourceError('terminal', message);
