/** What is released: `v1.2.3` as a tag and image tag, `1.2.3` elsewhere. */
export interface ReleaseVersion {
  readonly tag: string;
  readonly version: string;
}

/** Semantic Versioning 2.0 without build metadata, which image tags cannot have. */
const PATTERN =
  /^v?((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?)$/;

/** Takes a version with or without its `v`. Crossplane upgrades by tags that parse as semantic versions. */
export function releaseVersion(text: string): ReleaseVersion {
  const version = PATTERN.exec(text)?.[1];
  if (version === undefined) {
    throw new Error(`cannot release version "${text}": want one like v1.2.3 or v1.2.3-rc.1`);
  }
  return { tag: `v${version}`, version };
}
