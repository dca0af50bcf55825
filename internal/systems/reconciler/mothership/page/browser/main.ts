/** The page for operators: views with addresses of their own, each read again every two seconds while it is visible. */
import { AccessError, api, type Schemas } from './api.ts';
import { createClusterPage } from './cluster.ts';
import { createClusterList } from './clusters.ts';
import { byId, element, setText } from './elements.ts';
import { showFailures } from './failures.ts';
import { showLoad } from './load.ts';
import { createHistory, showOverview } from './overview.ts';
import { countWords } from './words.ts';

const INTERVAL_MS = 2000;
/** After failures. */
const MAX_INTERVAL_MS = 30_000;

const connection = byId('connection', HTMLElement);
let failures = 0;
let timer = 0;
let last: Schemas['Overview'] | undefined;

const onProblem = (error: Error) => showProblem(error);
const history = createHistory(onProblem);
const clusterList = createClusterList({
  onFilter: (query) =>
    window.history.replaceState(null, '', query.size === 0 ? '/ui/clusters' : `/ui/clusters?${query}`),
  onProblem,
});
const clusterPage = createClusterPage({ mayChange: () => last?.mayChange ?? false, onProblem });

interface View {
  readonly name: 'overview' | 'failures' | 'clusters' | 'cluster' | 'reconcilers';
  readonly title: string;
  /** When it is opened; default: as `refresh`. */
  open?(): Promise<void>;
  refresh(): Promise<void>;
}

/** Who the user is, and what can be chosen, is read once for views that do not show it. */
const once = async () => {
  if (last === undefined) remember(await api.overview());
};

function viewOf({ pathname, search }: Location): View {
  const [, , name = '', id = ''] = pathname.split('/');
  if (name === 'failures')
    return { name, title: 'Failures', refresh: async () => showFailures(remember(await api.overview())) };
  if (name === 'reconcilers') {
    return {
      name,
      title: 'Component reconcilers',
      refresh: async () => {
        await once();
        showLoad(await api.load());
      },
    };
  }
  if (name === 'clusters' && id !== '') {
    const runtimeId = decodeURIComponent(id);
    return {
      name: 'cluster',
      title: runtimeId,
      refresh: async () => {
        await once();
        await clusterPage.refresh(runtimeId);
      },
    };
  }
  if (name === 'clusters') {
    return {
      name,
      title: 'Clusters',
      open: async () => {
        await once();
        await clusterList.open(new URLSearchParams(search));
      },
      refresh: () => clusterList.refresh(),
    };
  }
  return {
    name: 'overview',
    title: 'Overview',
    refresh: async () => {
      showOverview(remember(await api.overview()), { resume: askToResume });
      await history.refresh();
    },
  };
}

let view = viewOf(location);

/** Reads the view again. A refresh that overtakes another one wins. */
let refreshes = 0;
async function refresh(isOpening = false): Promise<void> {
  clearTimeout(timer);
  const own = ++refreshes;
  try {
    await (isOpening ? (view.open ?? view.refresh) : view.refresh).call(view);
    if (own !== refreshes) return;
    failures = 0;
    setText(connection, 'Live');
    connection.className = 'state good';
  } catch (error) {
    if (own !== refreshes) return;
    failures++;
    showProblem(error as Error);
  }
  schedule();
}

function schedule(): void {
  clearTimeout(timer);
  if (document.hidden) return;
  const delay = failures === 0 ? INTERVAL_MS : Math.min(MAX_INTERVAL_MS, INTERVAL_MS * 2 ** failures);
  timer = setTimeout(() => void refresh(), delay);
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

function remember(overview: Schemas['Overview']): Schemas['Overview'] {
  setText(byId('session', HTMLElement), overview.user === '' ? 'Read-only' : overview.user);
  clusterList.offer(overview);
  announce(overview);
  last = overview;
  return overview;
}

/** Says to screen readers what an operator would notice; not each number that changes. */
function announce(overview: Schemas['Overview']): void {
  const failing = (of: Schemas['Overview']) =>
    of.groups.find(({ group }) => group === 'failing')?.clusters ?? 0;
  const words: string[] = [];
  if (last === undefined || failing(overview) !== failing(last)) {
    words.push(`${countWords(failing(overview), 'cluster')} failing.`);
  }
  if (last !== undefined && overview.rollouts.length !== last.rollouts.length) {
    words.push(`${countWords(overview.rollouts.length, 'rollout')} paused.`);
  }
  if (words.length > 0) setText(byId('announcements', HTMLElement), words.join(' '));
}

function showProblem(error: Error): void {
  connection.className = 'state bad';
  if (error instanceof AccessError) {
    connection.replaceChildren(`${error.message}. `, element('a', { href: '/ui/login' }, 'Log in'));
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

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh();
});
openView();
