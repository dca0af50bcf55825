/** A file of sources tells one story, from top to bottom: a longer one has several, which a reader finds by the names of their files. */
const MAX_LINES = 600;
const CHECKED = /^(apis|internal|hack|test)\/.*(?<!\.test|\.gen|\.d)\.ts$/;

/** @param files texts by path @returns a line for each file that is too long */
export const checkFileLength = (files: ReadonlyMap<string, string>): string[] =>
  [...files].flatMap(([path, text]) => {
    const lines = text.split('\n').length - 1;
    return CHECKED.test(path) && lines > MAX_LINES
      ? [`${path}: ${lines} lines, of at most ${MAX_LINES}: which part of it is a story of its own?`]
      : [];
  });
