import type { Schemas } from './api.ts';
import { byId, clusterLink, element, labelled, row, setCells, setText, showList } from './elements.ts';
import { countWords, numberWords, progressWords, sinceWords, untilWords } from './words.ts';

type Overview = Schemas['Overview'];
type Failure = Schemas['FailureGroup'];

/** Causes for which clusters fail, and what runs without a failure. */
export function showFailures(overview: Overview): void {
  const now = Date.parse(overview.time);
  showCauses(overview.failures, now);
  showOperations(overview, now);
}

function showCauses(failures: readonly Failure[], now: number): void {
  byId('no-failures', HTMLElement).hidden = failures.length > 0;
  showList(byId('failures', HTMLUListElement), failures, {
    key: ({ component, kymaVersion, reason }) => JSON.stringify([component, kymaVersion, reason]),
    create: ({ component, kymaVersion, reason }) => {
      const summary = element(
        'summary',
        {},
        element('strong', {}, component),
        ' ',
        element('span', { class: 'quiet' }, kymaVersion),
        element('span', { class: 'reason' }, reason),
        element('span', { class: 'quiet facts' }),
      );
      const details = element(
        'details',
        {},
        summary,
        element('pre', {}, reason),
        element('ul', { class: 'named' }),
      );
      return element('li', {}, details);
    },
    update: (item, failure) => {
      const facts = item.querySelector('.facts');
      const names = item.querySelector('ul');
      if (facts !== null) setText(facts, factsOf(failure, now));
      if (names === null) return;
      const more = failure.clusters - failure.named.length;
      const entries =
        more > 0
          ? [...failure.named, { runtimeID: '', name: `and ${numberWords(more)} more` }]
          : failure.named;
      showList(names, entries, {
        key: ({ runtimeID }) => runtimeID,
        create: ({ runtimeID, name }) =>
          element('li', {}, runtimeID === '' ? name : clusterLink(runtimeID, name)),
        update: (entry, { runtimeID, name }) => {
          if (runtimeID === '') setText(entry, name);
        },
      });
    },
  });
}

function factsOf({ clusters, retrying, since, nextRun }: Failure, now: number): string {
  const next = untilWords(nextRun, now);
  return [
    countWords(clusters, 'cluster'),
    ...(retrying === 0 ? [] : [`${numberWords(retrying)} retrying now`]),
    ...(since === undefined ? [] : [`for ${sinceWords(since, now)}`]),
    next === '' ? 'not tried again' : `next attempt ${next}`,
  ].join(' · ');
}

const HEADINGS = ['Cluster', 'Component', 'State', 'Attempts', 'For', 'Progress'];

function showOperations({ operations, runningOperations }: Overview, now: number): void {
  const more =
    runningOperations > operations.length ? `, of which the ${operations.length} oldest are shown` : '';
  const text = runningOperations === 0 ? 'No operation runs.' : countWords(runningOperations, 'operation');
  setText(byId('operations-count', HTMLElement), `${text}${more}`);
  byId('operations-table', HTMLElement).hidden = operations.length === 0;
  showList(byId('operations', HTMLTableSectionElement), operations, {
    key: ({ schedulingID, correlationID }) => `${schedulingID}/${correlationID}`,
    create: ({ runtimeID, name }) => labelled(row(clusterLink(runtimeID, name), 5), HEADINGS),
    update: (target, operation) =>
      setCells(target, [
        operation.component,
        operation.type === 'delete' ? 'deleting' : 'reconciling',
        `${Math.max(operation.attempts, operation.retries)}`,
        sinceWords(operation.since, now),
        progressWords(operation.progress),
      ]),
  });
}
