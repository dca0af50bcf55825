import type { Schemas } from './api.ts';
import { byId, element, linkButton, row, setCells, setText, showList } from './elements.ts';
import { countWords, progressWords, sinceWords, statusLook, statusWords, untilWords } from './words.ts';

type Overview = Schemas['Overview'];

export interface OverviewActions {
  readonly openCluster: (runtimeId: string) => void;
  readonly filterByStatus: (status: string) => void;
  readonly resume: (rollout: Schemas['Rollout']) => void;
}

/** Shows what runs, what failed and what is held back. */
export function showOverview(overview: Overview, selected: string, actions: OverviewActions): void {
  const now = Date.parse(overview.time);
  showStatuses(overview, selected, actions);
  showVersions(overview);
  showRollouts(overview, now, actions);
  showFailures(overview, now, actions);
  showOperations(overview, now, actions);
}

function showStatuses({ statuses }: Overview, selected: string, actions: OverviewActions): void {
  showList(byId('statuses', HTMLUListElement), statuses, {
    key: ({ status }) => status,
    create: ({ status }) => {
      const button = element('button', { type: 'button' }, element('strong'));
      button.append(element('span', { class: `state ${statusLook(status)}` }, statusWords(status)));
      button.addEventListener('click', () =>
        actions.filterByStatus(button.ariaPressed === 'true' ? '' : status),
      );
      return element('li', {}, button);
    },
    update: (item, { status, clusters }) => {
      const button = item.querySelector('button');
      const count = item.querySelector('strong');
      if (button !== null) button.ariaPressed = `${selected === status}`;
      if (count !== null) setText(count, clusters.toLocaleString('en'));
    },
  });
}

function showVersions({ versions }: Overview): void {
  showList(byId('versions', HTMLTableSectionElement), versions, {
    key: ({ kymaVersion }) => kymaVersion,
    create: ({ kymaVersion }) => row(kymaVersion, 2),
    update: (target, { clusters, failedClusters }) =>
      setCells(target, [clusters.toLocaleString('en'), failedClusters.toLocaleString('en')]),
  });
}

function showRollouts({ rollouts, mayResume }: Overview, now: number, actions: OverviewActions): void {
  byId('rollouts-section', HTMLElement).hidden = rollouts.length === 0;
  showList(byId('rollouts', HTMLUListElement), rollouts, {
    key: ({ id }) => `${id} ${mayResume}`,
    create: (rollout) => {
      const item = element('li', {}, element('strong', {}, `${rollout.kind} ${rollout.name}`), element('p'));
      if (mayResume) {
        const button = element('button', { type: 'button' }, `Resume ${rollout.kind} ${rollout.name}`);
        button.addEventListener('click', () => actions.resume(rollout));
        item.append(button);
      }
      return item;
    },
    update: (item, { reason, heldClusters, pausedAt }) => {
      const text = item.querySelector('p');
      const held = `${countWords(heldClusters, 'cluster')} ${heldClusters === 1 ? 'waits' : 'wait'} for it.`;
      if (text !== null) setText(text, `Paused for ${sinceWords(pausedAt, now)}: ${reason}. ${held}`);
    },
  });
}

function showFailures({ failures }: Overview, now: number, { openCluster }: OverviewActions): void {
  byId('no-failures', HTMLElement).hidden = failures.length > 0;
  byId('failures-table', HTMLElement).hidden = failures.length === 0;
  showList(byId('failures', HTMLTableSectionElement), failures, {
    key: ({ component, kymaVersion, reason, runtimeIDs }) =>
      JSON.stringify([component, kymaVersion, reason, runtimeIDs]),
    create: ({ component, runtimeIDs }) => {
      const made = row(component, 4);
      const clusters = element('details', {}, element('summary'));
      const list = element('ul');
      for (const id of runtimeIDs)
        list.append(
          element(
            'li',
            {},
            linkButton(id, () => openCluster(id)),
          ),
        );
      clusters.append(list);
      made.cells[3]?.append(clusters);
      return made;
    },
    update: (target, { kymaVersion, reason, clusters, nextRun }) => {
      const [, version, why, , next] = target.cells;
      if (version !== undefined) setText(version, kymaVersion);
      if (why !== undefined) setText(why, reason);
      const summary = target.querySelector('summary');
      if (summary !== null) setText(summary, countWords(clusters, 'cluster'));
      if (next !== undefined) setText(next, untilWords(nextRun, now) || 'not tried again');
    },
  });
}

function showOperations(
  { operations, runningOperations }: Overview,
  now: number,
  { openCluster }: OverviewActions,
): void {
  const more =
    runningOperations > operations.length ? `, of which the ${operations.length} oldest are shown` : '';
  const text = runningOperations === 0 ? 'No operation runs.' : countWords(runningOperations, 'operation');
  setText(byId('operations-count', HTMLElement), `${text}${more}`);
  byId('operations-table', HTMLElement).hidden = operations.length === 0;
  showList(byId('operations', HTMLTableSectionElement), operations, {
    key: ({ schedulingID, correlationID }) => `${schedulingID}/${correlationID}`,
    create: ({ runtimeID }) =>
      row(
        linkButton(runtimeID, () => openCluster(runtimeID)),
        5,
      ),
    update: (target, operation) => {
      const action = operation.type === 'delete' ? `${operation.component} (deletion)` : operation.component;
      const state = operation.reason ? `${operation.state}: ${operation.reason}` : operation.state;
      setCells(target, [
        action,
        state,
        `${Math.max(operation.attempts, operation.retries)}`,
        sinceWords(operation.since, now),
        progressWords(operation.progress),
      ]);
    },
  });
}
