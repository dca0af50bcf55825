import type { GitHistory } from './git-history.ts';

/** What changed since the release before, as Markdown: one line a commit, in the words of its author. */
export function changelog(tag: string, { date, previousTag, commits }: GitHistory): string {
  const since = previousTag === undefined ? 'The first release.' : `Changes since ${previousTag}:`;
  const list = previousTag === undefined ? [] : commits.map(({ id, subject }) => `- ${subject} (${id})`);
  const body = list.length === 0 && previousTag !== undefined ? ['- none'] : list;
  return `${[`# provider-kyma ${tag}`, '', `${date}. ${since}`, ...(body.length > 0 ? ['', ...body] : [])].join('\n')}\n`;
}
