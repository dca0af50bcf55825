import type { Schemas, Window } from './api.ts';
import { bar, runsChart, timesChart } from './charts.ts';
import { button, byId, element, setText, showList } from './elements.ts';
import {
  allGroups,
  countWords,
  durationWords,
  groupLook,
  type Look,
  numberWords,
  sinceWords,
} from './words.ts';

type Overview = Schemas['Overview'];
type History = Schemas['History'];

/** Bars of a list before all of them are wanted. */
const MAX_BARS = 12;
/** Lists of which all are wanted. */
const wholeLists = new Set<string>();

export interface OverviewActions {
  readonly resume: (rollout: Schemas['Rollout']) => void;
}

/** Clusters by groups, versions and components, and what is held back. */
export function showOverview(overview: Overview, { resume }: OverviewActions): void {
  const now = Date.parse(overview.time);
  const all = overview.groups.reduce((sum, { clusters }) => sum + clusters, 0);
  showGroups(overview);
  byId('no-cluster-at-all', HTMLElement).hidden = all > 0;
  byId('some-clusters', HTMLElement).hidden = all === 0;
  showRollouts(overview, now, resume);
  showBars('versions', overview.versions, all, ({ kymaVersion }) => ['version', kymaVersion]);
  showBars('components', overview.components, all, ({ component }) => ['component', component]);
}

function showGroups({ groups }: Overview): void {
  const shown = allGroups
    .map((group) => ({ group, clusters: groups.find((each) => each.group === group)?.clusters ?? 0 }))
    .filter(({ group, clusters }) => group !== 'disabled' || clusters > 0);
  showList(byId('groups', HTMLUListElement), shown, {
    key: ({ group }) => group,
    create: ({ group }) => {
      const link = element('a', { href: `/ui/clusters?group=${group}` }, element('strong'));
      link.append(element('span', {}, group));
      return element('li', {}, link);
    },
    update: (item, { group, clusters }) => {
      const count = item.querySelector('strong');
      const name = item.querySelector('span');
      if (count !== null) setText(count, numberWords(clusters));
      if (name !== null) name.className = `state ${groupLook(group, clusters)}`;
    },
  });
}

function showRollouts(
  { rollouts, mayChange }: Overview,
  now: number,
  resume: OverviewActions['resume'],
): void {
  byId('rollouts-section', HTMLElement).hidden = rollouts.length === 0;
  showList(byId('rollouts', HTMLUListElement), rollouts, {
    key: ({ id }) => `${id} ${mayChange}`,
    create: (rollout) => {
      const item = element('li', {}, element('strong', {}, `${rollout.kind} ${rollout.name}`), element('p'));
      const name = `Resume ${rollout.kind} ${rollout.name}`;
      if (mayChange) item.append(button(name, () => resume(rollout)));
      else item.append(element('code', {}, `provider-kyma rollouts resume ${rollout.name}`));
      return item;
    },
    update: (item, { reason, heldClusters, pausedAt }) => {
      const text = item.querySelector('p');
      const held = `${countWords(heldClusters, 'cluster')} ${heldClusters === 1 ? 'is' : 'are'} held.`;
      if (text !== null) setText(text, `Paused for ${sinceWords(pausedAt, now)}: ${reason}. ${held}`);
    },
  });
}

interface Counted {
  readonly clusters: number;
  readonly failedClusters: number;
}

/** @param conditionOf name and value of the filter of clusters */
function showBars<T extends Counted>(
  id: 'versions' | 'components',
  items: readonly T[],
  all: number,
  conditionOf: (item: T) => readonly [string, string],
): void {
  const more = byId(`all-${id}`, HTMLButtonElement);
  more.hidden = items.length <= MAX_BARS || wholeLists.has(id);
  setText(more, `Show all ${numberWords(items.length)}`);
  more.onclick = () => {
    wholeLists.add(id);
    showBars(id, items, all, conditionOf);
  };
  const shown = wholeLists.has(id) ? items : items.slice(0, MAX_BARS);
  showList(byId(id, HTMLUListElement), shown, {
    key: (item) => JSON.stringify([conditionOf(item), item.clusters, item.failedClusters, all]),
    create: (item) => {
      const [name, value] = conditionOf(item);
      const href = `/ui/clusters?${new URLSearchParams({ [name]: value })}`;
      const failed = item.failedClusters === 0 ? '' : `, ${numberWords(item.failedClusters)} failing`;
      const made = element('li', {}, element('a', { href }, value));
      made.append(
        element('span', {}, `${countWords(item.clusters, 'cluster')}${failed}`),
        bar(all, item.clusters, item.failedClusters),
      );
      return made;
    },
    update: () => undefined,
  });
}

/** @param onChange another time was chosen for the charts */
export function createWindow(onChange: () => void): { current(): Window } {
  const windows = byId('windows', HTMLElement);
  let window: Window = 'hour';
  windows.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    window = target.value as Window;
    for (const each of windows.querySelectorAll('button')) each.ariaPressed = `${each === target}`;
    onChange();
  });
  return { current: () => window };
}

export function showHistory({ window, buckets }: History): void {
  const sum = (name: 'ready' | 'failed' | 'deleted') =>
    buckets.reduce((total, bucket) => total + bucket[name], 0);
  const last = buckets.findLast(({ p50 }) => p50 !== undefined);
  // The marks before the words are the legend of the chart.
  showCaption('runs-caption', `Runs of the last ${window}: `, [
    [`${numberWords(sum('ready'))} ready`, 'good'],
    [`${numberWords(sum('failed'))} failed`, 'bad'],
    [`${numberWords(sum('deleted'))} deleted`, 'off'],
  ]);
  if (last === undefined) showCaption('times-caption', 'Time to ready: no run ended in ready', []);
  else
    showCaption('times-caption', 'Time to ready, last: ', [
      [`p50 ${durationWords(last.p50)}`, 'good'],
      [`p95 ${durationWords(last.p95)}`, 'waiting'],
    ]);
  for (const [id, chart] of [
    ['runs-chart', runsChart],
    ['times-chart', timesChart],
  ] as const) {
    const place = byId(id, HTMLElement);
    place.replaceChildren(chart(buckets, place.clientWidth));
  }
}

function showCaption(id: string, words: string, parts: readonly (readonly [string, Look])[]): void {
  const marked = parts.flatMap(([text, look], index) => [
    index === 0 ? '' : ', ',
    element('span', { class: `state ${look}` }, text),
  ]);
  byId(id, HTMLElement).replaceChildren(words, ...marked);
}
