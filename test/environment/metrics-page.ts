/**
 * The sum of a metric over its series, from a page in the Prometheus text format. The order of series is not defined: it
 * follows the start of controllers.
 *
 * @param labels begin the labels of the series that count, such as `controller="managed/`; default all
 * @returns undefined where the page has no such series
 */
export function sumIn(page: string, metric: string, labels = ''): number | undefined {
  const starts = labels === '' ? [`${metric}{`, `${metric} `] : [`${metric}{${labels}`];
  const lines = page.split('\n').filter((line) => starts.some((start) => line.startsWith(start)));
  if (lines.length === 0) return undefined;
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
