/** Three numbers and a pre-release (Semantic Versioning 2.0.0); build metadata does not count. */
const version = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * Whether the tag of an image is a version from `least` on. A pre-release is before its version; other tags are no versions.
 *
 * @param least three numbers
 */
export function isImageFrom(image: string, least: readonly [number, number, number]): boolean {
  const tag =
    image
      .slice(image.lastIndexOf('/') + 1)
      .split('@', 1)[0]
      ?.split(':')[1] ?? '';
  const [, major, minor, patch, preRelease] = version.exec(tag) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return false;
  const differences = [major, minor, patch].map((text, index) => Number(text) - (least[index] ?? 0));
  const first = differences.find((difference) => difference !== 0);
  return first === undefined ? preRelease === undefined : first > 0;
}
