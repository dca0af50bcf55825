import { refused } from './source-error.ts';

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
