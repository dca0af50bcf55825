import { refused } from '../model/source-error.ts';

/** In characters; PATH_MAX of Linux is 4096, with the storage folder before it. */
const MAX_PATH = 1024;
/** In bytes, NAME_MAX of Linux. */
const MAX_NAME = 255;
const MAX_DEPTH = 64;

/**
 * The segments of a path from an archive or a Git tree, which stays below its folder.
 *
 * @throws SourceError for absolute paths, `..`, backslashes, control characters, and names that are too long
 */
export function safeSegments(path: string): readonly string[] {
  const shown = JSON.stringify(path.slice(0, 200));
  if (path.length > MAX_PATH) throw refused(`the path ${shown}… has more than ${MAX_PATH} characters`);
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw refused(`the path ${shown} is absolute`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f\\]/.test(path))
    throw refused(`the path ${shown} has a backslash or control character`);
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw refused(`the path ${shown} leads out of its folder`);
  if (segments.length > MAX_DEPTH) throw refused(`the path ${shown} is deeper than ${MAX_DEPTH} folders`);
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME)) {
    throw refused(`the path ${shown} has a name of more than ${MAX_NAME} bytes`);
  }
  return segments;
}
