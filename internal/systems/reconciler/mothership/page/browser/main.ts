/** The page for operators: views with addresses of their own, each read again when the server says that something has changed. */
import { AccessError, api, type Schemas, type Timed, timed } from './api.ts';
import { createClusterPage } from './cluster.ts';
import { createClusterList } from './clusters.ts';
import { byId, element, labelled, row, setCells, setText, showList } from './elements.ts';
import { showFailures } from './failures.ts';
import { createWindow, showHistory, showOverview } from './overview.ts';
import { countWords, durationWords, numberWords } from './words.ts';

/** Interval at which times are shown anew, without a request, in ms. */
const TICK_MS = 1000;
/** Charts move with the time, in ms. */
const CHARTS_MS = 60_000;

const connection = byId('connection', HTMLElement);
let isLive = false;
/** When a view was read the last time. */
let readAt = 0;
let last: Timed<Schemas['Overview']> | undefined;

const onProblem = (error: Error) => showProblem(error);
const chartWindow = createWindow(() => void refresh());
const clusterList = createClusterList({
  onFilter: (query) =>
    window.history.replaceState(null, '', query.size === 0 ? '/ui/clusters' : `/ui/clusters?${query}`),
  onProblem,
});
const clusterPage = createClusterPage({ mayChange: () => last?.now().mayChange ?? false, onProblem });

interface View {
  readonly name: 'overview' | 'failures' | 'clusters' | 'cluster' | 'reconcilers';
  readonly title: string;
  /** When it is opened; default: as `refresh`. */
  open?(): Promise<void>;
  /** Reads it by one request. */
  refresh(): Promise<void>;
  /** Shows times as they are now. */
  tick?(): void;
}

function viewOf({ pathname, search }: Location): View {
  const [, , name = '', id = ''] = pathname.split('/');
  if (name === 'failures') {
    const show = () => last !== undefined && showFailures(last.now());
    return {
      name,
      title: 'Failures',
      tick: show,
      refresh: async () => void (await readOverview()),
    };
  }
  if (name === 'reconcilers') {
    return {
      name,
      title: 'Component reconcilers',
      refresh: async () => showLoad(await api.load()),
    };
  }
  if (name === 'clusters' && id !== '') {
    const runtimeId = decoded(id);
    return {
      name: 'cluster',
      title: runtimeId,
      tick: clusterPage.tick,
      refresh: () => clusterPage.refresh(runtimeId),
    };
  }
  if (name === 'clusters') {
    return {
      name,
      title: 'Clusters',
      open: () => clusterList.open(new URLSearchParams(search)),
      tick: clusterList.tick,
      refresh: clusterList.refresh,
    };
  }
  const show = () => last !== undefined && showOverview(last.now(), { resume: askToResume });
  return {
    name: 'overview',
    title: 'Overview',
    tick: show,
    refresh: async () => {
      const history = (await readOverview(chartWindow.current()))?.history;
      if (history?.window === chartWindow.current()) showHistory(history);
    },
  };
}

/** A typed address may be no URL encoding: then the part is what it says. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

let view = viewOf(location);

/** Reads the view again. A refresh that overtakes another one wins. */
let refreshes = 0;
async function refresh(isOpening = false): Promise<void> {
  const own = ++refreshes;
  readAt = performance.now();
  try {
    await (isOpening ? (view.open ?? view.refresh) : view.refresh).call(view);
    if (own !== refreshes) return;
    hasFailed = false;
    // What a test, or a tool of the browser, measures.
    if (!hasShown) performance.mark('shown');
    hasShown = true;
    showState();
    // Who the user is, and what can be chosen, comes after what the view shows.
    if (last === undefined) await readOverview();
  } catch (error) {
    if (own !== refreshes) return;
    hasFailed = true;
    showProblem(error as Error);
  }
}

let hasFailed = false;
/** Whether a view was read. */
let hasShown = false;
function showState(): void {
  if (hasFailed || !hasShown) return;
  setText(connection, isLive ? 'Live' : 'Connecting');
  connection.className = isLive ? 'state good' : 'state waiting';
}

/** Shows the view of the address. */
function openView(): void {
  view = viewOf(location);
  document.title = `${view.title} – Kyma clusters`;
  for (const name of ['overview', 'failures', 'clusters', 'cluster', 'reconcilers']) {
    byId(`view-${name}`, HTMLElement).hidden = name !== view.name;
  }
  for (const link of document.querySelectorAll('nav a')) {
    const isCurrent = link.getAttribute('href') === location.pathname;
    if (isCurrent) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  void refresh(true);
}

/** Follows a link of this page without loading it again. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const { defaultPrevented, button, metaKey, ctrlKey, shiftKey, altKey } = event;
  if (link === null || defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  const url = new URL(link.href);
  if (
    url.origin !== location.origin ||
    !url.pathname.startsWith('/ui/') ||
    url.hash !== '' ||
    url.pathname === '/ui/login'
  )
    return;
  event.preventDefault();
  window.history.pushState(null, '', url);
  openView();
  byId('main', HTMLElement).focus();
  window.scrollTo(0, 0);
});
window.addEventListener('popstate', openView);

let [overviewReads, shownRead] = [0, 0];
/** Undefined, with nothing shown, if a later read was faster. */
async function readOverview(window?: Schemas['History']['window']): Promise<Schemas['Overview'] | undefined> {
  const own = ++overviewReads;
  const overview = await api.overview(window);
  if (own < shownRead) return undefined;
  shownRead = own;
  remember(overview);
  return overview;
}

function remember(overview: Schemas['Overview']): void {
  setText(byId('session', HTMLElement), overview.user === '' ? 'Read-only' : overview.user);
  clusterList.offer(overview);
  announce(overview, last?.now());
  last = timed(overview);
  view.tick?.();
}

/** Says to screen readers what an operator would notice; not each number that changes. */
function announce(overview: Schemas['Overview'], before: Schemas['Overview'] | undefined): void {
  const failing = (of: Schemas['Overview']) =>
    of.groups.find(({ group }) => group === 'failing')?.clusters ?? 0;
  const words: string[] = [];
  if (before === undefined || failing(overview) !== failing(before)) {
    words.push(`${countWords(failing(overview), 'cluster')} failing.`);
  }
  if (before !== undefined && overview.rollouts.length !== before.rollouts.length) {
    words.push(`${countWords(overview.rollouts.length, 'rollout')} paused.`);
  }
  if (words.length > 0) setText(byId('announcements', HTMLElement), words.join(' '));
}

function showProblem(error: Error): void {
  connection.className = 'state bad';
  if (error instanceof AccessError) {
    // The server leads here after a login that failed: without a word another one seems to be needed.
    const hasFailed = new URLSearchParams(location.search).get('login') === 'failed';
    const why = hasFailed ? 'The login failed: the log of the mothership says why' : error.message;
    connection.replaceChildren(`${why}. `, element('a', { href: '/ui/login' }, 'Log in'));
  } else {
    setText(connection, `No current data: ${error.message}`);
  }
}

function askToResume(rollout: Schemas['Rollout']): void {
  const dialog = byId('confirm', HTMLDialogElement);
  const name = `${rollout.kind} ${rollout.name}`;
  setText(byId('confirm-title', HTMLElement), `Resume ${name}?`);
  setText(
    byId('confirm-text', HTMLElement),
    `${countWords(rollout.heldClusters, 'cluster')} will be reconciled with it. It was paused since ${rollout.reason}.`,
  );
  dialog.returnValue = '';
  dialog.addEventListener(
    'close',
    () => {
      if (dialog.returnValue !== 'confirm') return;
      api.resume(rollout.id).then(
        () => refresh(),
        (error: Error) => showProblem(error),
      );
    },
    { once: true },
  );
  dialog.showModal();
}

const HEADINGS = ['Component', 'Waiting', 'Running', 'Busy workers', 'Time, p50', 'Time, p95'];

/** What component reconcilers have to do, and how busy they are. */
function showLoad(load: readonly Schemas['ComponentLoad'][]): void {
  byId('no-load', HTMLElement).hidden = load.length > 0;
  byId('load-table', HTMLElement).hidden = load.length === 0;
  showList(byId('load', HTMLTableSectionElement), load, {
    key: ({ component }) => component,
    create: ({ component }) => labelled(row(component, 5), HEADINGS),
    update: (target, { waiting, running, workers, busyWorkers = 0, p50, p95 }) =>
      setCells(target, [
        numberWords(waiting),
        numberWords(running),
        workers === undefined ? '–' : `${numberWords(busyWorkers)} of ${numberWords(workers)}`,
        durationWords(p50) || '–',
        durationWords(p95) || '–',
      ]),
  });
}

/* The stream of events by which the server says that something has changed. */

interface LiveOptions {
  /** At the beginning, after each change, and after an interruption. */
  readonly onChange: () => void;
  /** The stream is open, or not. */
  readonly onState: (isOpen: boolean) => void;
}

/** A stream without an event for this time has no server, in ms: it sends one every 15 s. */
const SILENT_MS = 40_000;
/** Delays after the server refused a stream, in ms. */
const [RETRY_MS, MAX_RETRY_MS] = [2000, 30_000];

/** Follows changes while the page is visible: browsers open only a few connections to one server. */
function followChanges({ onChange, onState }: LiveOptions): void {
  let source: EventSource | undefined;
  let timer = 0;
  let refusals = 0;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    if (document.hidden) return;
    const own = new EventSource('/v1/events');
    source = own;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(open, SILENT_MS);
    };
    heard();
    own.addEventListener('open', () => {
      refusals = 0;
      heard();
      onState(true);
    });
    own.addEventListener('alive', heard);
    own.addEventListener('change', () => {
      heard();
      onChange();
    });
    own.addEventListener('error', () => {
      onState(false);
      // The browser opens a stream again that ended. One that was refused it does not.
      if (own.readyState !== EventSource.CLOSED) return;
      close();
      timer = setTimeout(open, Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** refusals++));
      onChange();
    });
  };
  document.addEventListener('visibilitychange', open);
  // A page that the browser keeps for `back` holds no connection.
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', ({ persisted }) => persisted && open());
  open();
}

setInterval(() => {
  if (document.hidden) return;
  view.tick?.();
  if (view.name === 'overview' && performance.now() - readAt > CHARTS_MS) void refresh();
}, TICK_MS);
openView();
followChanges({
  onChange: () => void refresh(),
  onState: (isOpen) => {
    isLive = isOpen;
    showState();
  },
});
