import { api, type Schemas, type Timed, timed } from './api.ts';
import { shape } from './charts.ts';
import {
  button,
  byId,
  copyable,
  element,
  labelled,
  row,
  setCells,
  setText,
  updateChildren,
} from './elements.ts';
import {
  countWords,
  operationWords,
  progressWords,
  sinceWords,
  spanWords,
  stateLook,
  stateWords,
  statusLook,
  statusWords,
  untilWords,
} from './words.ts';

type Details = Schemas['ClusterDetails'];
type Operation = Schemas['Operation'];

const NS_PER_MS = 1e6;
/** Units of the width of a time line. */
const WIDTH = 1000;
const MAX_HISTORY = 20;

export interface ClusterPageOptions {
  readonly mayChange: () => boolean;
  readonly onProblem: (error: Error) => void;
}

/** The page of a cluster. What is open in it stays open while it is brought up to date. */
export function createClusterPage({ mayChange, onProblem }: ClusterPageOptions) {
  let shown = '';
  let details: Timed<Details> | undefined;
  const show = () => {
    if (details === undefined) return;
    const current = details.now();
    const { runtimeID, name } = current.cluster;
    const content = byId('cluster-content', HTMLDivElement);
    setText(byId('cluster-title', HTMLElement), name || runtimeID);
    const again = () => {
      refresh(runtimeID).catch(onProblem);
    };
    const wanted = [
      facts(current),
      actions(current, { mayChange: mayChange(), again, onProblem }),
      ...held(current),
      ...run(current),
      ...history(current),
      ...configurations(current),
    ];
    if (shown === runtimeID) updateChildren(content, wanted);
    else content.replaceChildren(...wanted);
    shown = runtimeID;
  };
  let reads = 0;
  const refresh = async (runtimeId: string) => {
    const own = ++reads;
    const found = await api.details(runtimeId);
    // A read that was overtaken by another one, perhaps of another cluster, shows nothing.
    if (own !== reads) return;
    details = timed(found);
    show();
  };
  return { refresh, tick: show };
}

function facts({ cluster, profile, region, subAccountID, instanceID, links }: Details): HTMLElement {
  const list = element('dl', { class: 'facts' });
  const fact = (name: string, content: Node | string, attributes = {}) =>
    list.append(element('div', attributes, element('dt', {}, name), element('dd', {}, content)));
  const add = (name: string, content: Node | string) => {
    if (content !== '') fact(name, content);
  };
  const copied = (text: string, what: string, href?: string) =>
    text === '' ? '' : copyable(text, what, href);
  add('State', element('span', { class: `state ${stateLook(cluster)}` }, stateWords(cluster)));
  add('Version', [cluster.kymaVersion, profile].filter(Boolean).join(', '));
  add('Region', region);
  add('Runtime ID', copied(cluster.runtimeID, 'runtime ID', links?.runtime));
  add('Shoot', copied(cluster.shoot, 'name of the Shoot', links?.shoot));
  add('Global account', copied(cluster.globalAccountID, 'global account'));
  add('Subaccount', subAccountID);
  add('Instance', instanceID);
  const runtime = `kubectl -n kcp-system get runtime,secret -l kyma-project.io/runtime-id=${cluster.runtimeID}`;
  fact('Runtime and Secret', copyable(runtime, 'command'), { class: 'whole' });
  fact('Command', copyable(`provider-kyma clusters get ${cluster.runtimeID}`, 'command'), { class: 'whole' });
  return list;
}

interface ActionOptions extends Pick<ClusterPageOptions, 'onProblem'> {
  readonly mayChange: boolean;
  readonly again: () => void;
}

function actions({ cluster }: Details, { mayChange, again, onProblem }: ActionOptions): HTMLElement {
  const made = element('p', { class: 'choices' });
  if (!mayChange) {
    made.append(
      element('span', { class: 'empty' }, 'Read-only: administrators who have logged in can start runs.'),
    );
    return made;
  }
  const set = (text: string, status: Schemas['Status']) =>
    made.append(button(text, () => void api.setStatus(cluster.runtimeID, status).then(again, onProblem)));
  if (cluster.status === 'reconcile_disabled') set('Enable', 'reconcile_pending');
  else {
    // A run would install again what the deletion removes.
    if (!cluster.status.startsWith('delet')) set('Reconcile now', 'reconcile_pending');
    set('Disable', 'reconcile_disabled');
  }
  return made;
}

const held = ({ heldBy, time }: Details): Node[] =>
  heldBy.map(({ kind, name, reason, pausedAt }) =>
    element(
      'p',
      { class: 'notice waiting-notice' },
      `Held by the rollout of ${kind} ${name}, paused for ${sinceWords(pausedAt, Date.parse(time))}: ${reason}.`,
    ),
  );

/** The newest run: components by their groups, of which each has the one before as prerequisite. */
function run({ run: newest, time }: Details): Node[] {
  if (newest === undefined)
    return [element('h3', {}, 'Run'), element('p', { class: 'empty' }, 'No run yet.')];
  const now = Date.parse(time);
  const groups = Map.groupBy(newest.operations, ({ priority }) => priority);
  const graph = element('ol', {
    class: 'graph',
    'aria-label': 'Components in the order of their prerequisites',
  });
  for (const [, operations] of [...groups].sort(([one], [other]) => one - other)) {
    const stage = element('ul');
    stage.append(...operations.map((operation) => node(operation, now)));
    graph.append(element('li', {}, stage));
  }
  const words = newest.finished ? `ended: ${statusWords(newest.status)}` : 'in progress';
  return [element('h3', {}, `Newest run, ${words}; begun ${sinceWords(newest.created, now)} ago`), graph];
}

function node(operation: Operation, now: number): HTMLLIElement {
  const [words, look] = operationWords(operation);
  const { component, retries = 0, reason, nextAttempt, progress, created, updated } = operation;
  const isOpen = operation.state !== 'done' && operation.state !== 'error';
  const time = isOpen ? now - Date.parse(created) : Date.parse(updated) - Date.parse(created);
  const quiet = [
    ...(retries > 1 ? [`${retries} attempts`] : []),
    ...(operation.state === 'new' ? [] : [spanWords(time)]),
    ...(nextAttempt === undefined || !isOpen || operation.state === 'new'
      ? []
      : [`next ${untilWords(nextAttempt, now)}`]),
  ].join(' · ');
  const more = reason || progressWords(progress);
  return element(
    'li',
    { class: `node ${look}-node` },
    element('strong', {}, component),
    element('span', { class: `state ${look}` }, words),
    quiet === '' ? undefined : element('span', { class: 'quiet' }, quiet),
    more === '' ? undefined : element('span', { class: 'reason' }, more),
  );
}

function history({ statusChanges, runs, time }: Details): Node[] {
  const now = Date.parse(time);
  const rows = statusChanges.slice(0, MAX_HISTORY).map(({ status, started, duration }) => {
    const made = labelled(row(new Date(started).toLocaleString(), 2), ['Since', 'Status', 'For']);
    setCells(made, [statusWords(status), spanWords(duration / NS_PER_MS)]);
    const state = made.cells[1];
    if (state !== undefined) state.className = `state ${statusLook(status)}`;
    return made;
  });
  const failed = runs.filter(({ status }) => statusLook(status) === 'bad').length;
  return [
    element('h3', {}, 'Time line of seven days'),
    timeline(statusChanges),
    ...ends(statusChanges, now),
    element(
      'p',
      { class: 'empty' },
      `${countWords(runs.length, 'run')}, ${failed} of them failed; the last one began ${runs[0] === undefined ? 'never' : `${sinceWords(runs[0].created, now)} ago`}.`,
    ),
    element(
      'details',
      { id: 'statuses' },
      element('summary', {}, 'Statuses'),
      table(['Since', 'Status', 'For'], rows, 'Statuses, the newest first'),
    ),
  ];
}

/** A strip with the statuses in the order of time. The table has the same in words. */
function timeline(changes: readonly Schemas['StatusChange'][]): Element {
  const attributes = {
    class: 'timeline',
    viewBox: `0 0 ${WIDTH} 24`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  };
  const strip = shape('svg', attributes);
  const total = changes.reduce((sum, { duration }) => sum + duration, 0) || 1;
  let x = 0;
  for (const { status, duration } of changes.toReversed()) {
    const width = (WIDTH * duration) / total;
    strip.append(
      shape('rect', { class: statusLook(status), x: x.toFixed(2), width: width.toFixed(2), height: 24 }),
    );
    x += width;
  }
  return strip;
}

/** Times at the ends of the strip. */
function ends(changes: readonly Schemas['StatusChange'][], now: number): Node[] {
  const first = changes.at(-1);
  if (first === undefined) return [];
  const begin = element('span', {}, `${sinceWords(first.started, now)} ago`);
  return [element('p', { class: 'ends quiet' }, begin, element('span', {}, 'now'))];
}

function configurations({ configurations: versions, time }: Details): Node[] {
  const now = Date.parse(time);
  const list = element('ul', { class: 'causes' });
  for (const { version, created, changes } of versions) {
    const rows = changes.map(({ field, before, after }) => {
      const made = labelled(row(field, 2), ['Field', 'Before', 'After']);
      setCells(made, [before || '–', after || '–']);
      return made;
    });
    const words = changes.length === 0 ? 'no difference is known' : `${changes.length} differences`;
    const summary = element('summary', {}, `Version ${version}, ${sinceWords(created, now)} ago: ${words}`);
    const details = element('details', { id: `configuration-${version}` }, summary);
    if (rows.length > 0)
      details.append(table(['Field', 'Before', 'After'], rows, `Differences of version ${version}`));
    list.append(element('li', {}, details));
  }
  return [element('h3', {}, 'Configurations'), list];
}

function table(
  headings: readonly string[],
  rows: readonly HTMLTableRowElement[],
  label: string,
): HTMLElement {
  const head = element('tr');
  for (const heading of headings) head.append(element('th', { scope: 'col' }, heading));
  const body = element('tbody');
  body.append(...rows);
  const made = element('table', { 'aria-label': label, class: 'cardable' }, element('thead', {}, head), body);
  return element('div', { class: 'table' }, made);
}
