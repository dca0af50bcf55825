import type { GitHistory } from './git-history.ts';

/** The changes since the previous release, as Markdown: one line for each commit, with its headline. */
export function changelog(tag: string, { date, previousTag, commits }: GitHistory): string {
  const since = previousTag === undefined ? 'The first release.' : `Changes since ${previousTag}:`;
  const list = previousTag === undefined ? [] : commits.map(({ id, subject }) => `- ${subject} (${id})`);
  const body = list.length === 0 && previousTag !== undefined ? ['- none'] : list;
  return `${[`# provider-kyma ${tag}`, '', `${date}. ${since}`, ...(body.length > 0 ? ['', ...body] : [])].join('\n')}\n`;
}
