import { api, type Schemas } from './api.ts';
import { allFilters, clusterQuery, WINDOW } from './cluster-query.ts';
import { byId, clusterLink, element, labelled, row, setCells, setText, showList } from './elements.ts';
import {
  allGroups,
  allStatuses,
  countWords,
  sinceWords,
  stateLook,
  stateWords,
  statusWords,
  untilWords,
} from './words.ts';

export interface ClusterList {
  /** Takes the filters from an address, and shows their clusters from the first one on. */
  open(query: URLSearchParams): Promise<void>;
  /** Reads the visible clusters again. */
  refresh(): Promise<void>;
  /** Shows times as they are now. */
  tick(): void;
  /** The versions and components that can be chosen. */
  offer(overview: Schemas['Overview']): void;
}

export interface ClusterListOptions {
  /** The address of the filters has changed. */
  readonly onFilter: (query: URLSearchParams) => void;
  readonly onProblem: (error: Error) => void;
}

/** Time after the last key until a text is searched for, in ms. */
const TYPING_MS = 300;
/** Clusters before and behind the visible ones. */
const MARGIN = 25;

const HEADINGS = ['Name', 'State', 'For', 'Version', 'Fails', 'Next run', 'Runtime ID'];

/** The list of all clusters, of which only those near the visible ones are in the page. */
export function createClusterList({ onFilter, onProblem }: ClusterListOptions): ClusterList {
  const scroll = byId('cluster-scroll', HTMLDivElement);
  const inputs = {
    search: byId('search', HTMLInputElement),
    group: byId('group', HTMLSelectElement),
    status: byId('status', HTMLSelectElement),
    version: byId('version', HTMLSelectElement),
    component: byId('component', HTMLSelectElement),
  };
  for (const each of allGroups) inputs.group.append(element('option', { value: each }, each));
  for (const each of allStatuses) inputs.status.append(element('option', { value: each }, statusWords(each)));
  let offset = 0;
  let total = 0;
  let reads = 0;
  let shown: readonly Schemas['ClusterSummary'][] = [];

  const show = () => showRows(shown, { offset, total, now: Date.now() });

  const read = async () => {
    const own = ++reads;
    const found = await api.clusters(clusterQuery((filter) => inputs[filter].value, offset));
    // A read that was overtaken by another one shows nothing.
    if (own !== reads) return;
    total = found.total ?? found.clusters.length;
    if (total > 0 && offset >= total) {
      offset = 0;
      await read();
      return;
    }
    setText(byId('cluster-count', HTMLElement), total === 0 ? '' : countWords(total, 'cluster'));
    byId('no-clusters', HTMLElement).hidden = total > 0;
    scroll.hidden = total === 0;
    shown = found.clusters;
    show();
  };
  let typing = 0;
  const fromTop = () => {
    clearTimeout(typing);
    offset = 0;
    scroll.scrollTop = 0;
    const given = allFilters
      .map((name) => [name, inputs[name].value.trim()] as const)
      .filter(([, text]) => text !== '');
    onFilter(new URLSearchParams(given.map(([name, text]) => [name, text])));
    read().catch(onProblem);
  };

  inputs.search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(fromTop, TYPING_MS);
  });
  byId('filter', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    fromTop();
  });
  // Of a text: before its field loses the focus, so that a cluster that is opened at once leads back to what was searched for.
  for (const name of allFilters) inputs[name].addEventListener('change', fromTop);
  let isScheduled = false;
  scroll.addEventListener('scroll', () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      const first = Math.floor(scroll.scrollTop / rowHeight());
      const isLoaded = first >= offset && first + WINDOW - 2 * MARGIN <= offset + WINDOW;
      if (isLoaded || (first < MARGIN && offset === 0)) return;
      offset = Math.max(0, Math.min(first - MARGIN, total - WINDOW));
      read().catch(onProblem);
    });
  });

  return {
    open: async (query) => {
      for (const name of allFilters) {
        const value = query.get(name) ?? '';
        const input = inputs[name];
        if (input instanceof HTMLSelectElement) ensureOption(input, value);
        input.value = value;
      }
      offset = 0;
      scroll.scrollTop = 0;
      await read();
    },
    refresh: read,
    tick: show,
    offer: ({ versions, components }) => {
      for (const { kymaVersion } of versions) ensureOption(inputs.version, kymaVersion);
      for (const { component } of components) ensureOption(inputs.component, component);
    },
  };
}

function ensureOption(select: HTMLSelectElement, value: string): void {
  if (value === '' || [...select.options].some((option) => option.value === value)) return;
  select.append(element('option', { value }, value));
}

/** The height of a row, which the style sheet fixes: as a line of a table, or as a card. */
function rowHeight(): number {
  const shown = byId('cluster-rows', HTMLTableSectionElement).querySelector('tr:not(.spacer)');
  return shown?.getBoundingClientRect().height || 44;
}

interface Place {
  readonly offset: number;
  readonly total: number;
  readonly now: number;
}

/** Rows between two spacers as high as those that are left out. */
function showRows(clusters: readonly Schemas['ClusterSummary'][], { offset, total, now }: Place): void {
  const table = byId('cluster-table', HTMLTableElement);
  const body = byId('cluster-rows', HTMLTableSectionElement);
  table.ariaRowCount = `${total + 1}`;
  const spacer = (name: string) => ({ spacer: name });
  const items = [spacer('before'), ...clusters, spacer('behind')];
  showList(body, items, {
    key: (item) => ('spacer' in item ? ` ${item.spacer}` : item.runtimeID),
    create: (item) => {
      if ('spacer' in item) {
        const made = element(
          'tr',
          { class: 'spacer', 'aria-hidden': 'true' },
          element('td', { colspan: '7' }),
        );
        return made;
      }
      return labelled(row(clusterLink(item.runtimeID, item.name), 6), HEADINGS);
    },
    update: (target, item) => {
      if ('spacer' in item) return;
      const next = item.held ? 'held' : untilWords(item.nextRun, now);
      setCells(target, [
        stateWords(item),
        sinceWords(item.since, now),
        item.kymaVersion,
        item.failedComponents.length === 0 ? '' : item.failedComponents.join(', '),
        next,
        item.runtimeID,
      ]);
      const state = target.cells[1];
      if (state !== undefined) state.className = `state ${stateLook(item)}`;
      target.ariaRowIndex = `${offset + clusters.indexOf(item) + 2}`;
    },
  });
  const height = rowHeight();
  const [before, behind] = [body.firstElementChild, body.lastElementChild];
  if (before instanceof HTMLElement) before.style.height = `${offset * height}px`;
  if (behind instanceof HTMLElement)
    behind.style.height = `${Math.max(0, total - offset - clusters.length) * height}px`;
}
