import { refused } from '../model/source-error.ts';

/** A chart in a registry (distribution specification, "Pulling manifests"). */
export interface OciReference {
  readonly host: string;
  readonly repository: string;
  /** A tag, or a digest `sha256:…`. */
  readonly reference: string;
}

/** A part of the name of a repository, between two `/`. */
const repositoryPart = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const tagName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const digestName = /^sha256:[0-9a-f]{64}$/;
/** In characters. */
const MAX_REPOSITORY = 255;

/**
 * Reads `oci://host/repository`, with `:tag` or `@sha256:…` at its end. Without one the version is the tag; Helm stores a
 * `+` of a version as `_`.
 *
 * @throws SourceError of kind `terminal`
 */
export function ociReferenceOf(url: URL, version: string): OciReference {
  const path = url.pathname.replace(/^\/+/, '');
  const [beforeDigest = '', digest] = path.split('@', 2);
  const colon = beforeDigest.lastIndexOf(':');
  const isTagged = colon > beforeDigest.lastIndexOf('/');
  const repository = isTagged ? beforeDigest.slice(0, colon) : beforeDigest;
  const reference = digest ?? (isTagged ? beforeDigest.slice(colon + 1) : version.replaceAll('+', '_'));
  if (
    repository.length > MAX_REPOSITORY ||
    !repository.split('/').every((part) => repositoryPart.test(part))
  ) {
    throw refused('the URL has no valid name of a repository of a registry');
  }
  if (!tagName.test(reference) && !digestName.test(reference)) {
    throw refused(`the chart ${url.host}/${repository} needs a tag or a digest sha256:…`);
  }
  return { host: url.host, repository, reference };
}
