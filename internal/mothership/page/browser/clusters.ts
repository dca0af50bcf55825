import { api, type Schemas } from './api.ts';
import { byId, element, linkButton, row, setCells, setText, showList } from './elements.ts';
import { allStatuses, sinceWords, statusLook, statusWords, untilWords } from './words.ts';

export interface ClusterTable {
  /** The status that is selected; empty: all. */
  readonly status: () => string;
  /** Shows the clusters with a status, from the first page on. */
  filterByStatus(status: string): void;
  /** Reads the current page again. @param now of the server, in ms */
  refresh(now: number): Promise<void>;
}

export interface ClusterTableOptions {
  readonly openCluster: (runtimeId: string) => void;
  /** Asks for a refresh. */
  readonly onChange: () => void;
}

/** Time after the last key until a prefix is searched for, in ms. */
const TYPING_MS = 300;

/** The table of clusters, a page of them at a time. */
export function createClusterTable({ openCluster, onChange }: ClusterTableOptions): ClusterTable {
  const prefix = byId('prefix', HTMLInputElement);
  const status = byId('status', HTMLSelectElement);
  const previous = byId('previous', HTMLButtonElement);
  const next = byId('next', HTMLButtonElement);
  /** Where each page begins, up to the one that is shown. */
  let starts: readonly string[] = [''];
  let following: string | undefined;

  for (const each of allStatuses) status.append(element('option', { value: each }, statusWords(each)));
  const toFirstPage = () => {
    starts = [''];
    onChange();
  };
  let typing = 0;
  prefix.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(toFirstPage, TYPING_MS);
  });
  byId('filter', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    toFirstPage();
  });
  status.addEventListener('change', toFirstPage);
  previous.addEventListener('click', () => {
    if (starts.length > 1) starts = starts.slice(0, -1);
    onChange();
  });
  next.addEventListener('click', () => {
    if (following !== undefined) starts = [...starts, following];
    onChange();
  });

  return {
    status: () => status.value,
    filterByStatus: (wanted) => {
      status.value = wanted;
      toFirstPage();
    },
    refresh: async (now) => {
      const asked = { prefix: prefix.value.trim(), status: status.value, after: starts.at(-1) ?? '' };
      const found = await api.clusters(asked);
      following = found.continue;
      previous.disabled = starts.length === 1;
      next.disabled = following === undefined;
      setText(byId('page-number', HTMLElement), `Page ${starts.length}`);
      byId('no-clusters', HTMLElement).hidden = found.clusters.length > 0;
      showRows(found.clusters, now, openCluster);
    },
  };
}

function showRows(
  clusters: readonly Schemas['ClusterSummary'][],
  now: number,
  openCluster: (runtimeId: string) => void,
): void {
  showList(byId('cluster-rows', HTMLTableSectionElement), clusters, {
    key: ({ runtimeID }) => runtimeID,
    create: ({ runtimeID }) =>
      row(
        linkButton(runtimeID, () => openCluster(runtimeID)),
        6,
      ),
    update: (target, cluster) => {
      setCells(target, [
        cluster.name,
        statusWords(cluster.status),
        sinceWords(cluster.since, now),
        cluster.kymaVersion,
        cluster.errors === 0 ? '' : `${cluster.errors}`,
        untilWords(cluster.nextRun, now),
      ]);
      const state = target.cells[2];
      if (state !== undefined) state.className = `state ${statusLook(cluster.status)}`;
    },
  });
}
