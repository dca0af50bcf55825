/** The page for operators: reads the API every two seconds while it is visible, and shows what changed. */
import { AccessError, api, type Schemas } from './api.ts';
import { createClusterTable } from './clusters.ts';
import { openDetails } from './details.ts';
import { byId, element, setText } from './elements.ts';
import { showOverview } from './overview.ts';
import { countWords } from './words.ts';

const INTERVAL_MS = 2000;
/** After failures. */
const MAX_INTERVAL_MS = 30_000;

const connection = byId('connection', HTMLElement);
let failures = 0;
let timer = 0;
let last: Schemas['Overview'] | undefined;

const table = createClusterTable({
  openCluster: (runtimeId) => void openDetails(runtimeId),
  onChange: () => void refresh(),
});

/** Reads all again. A refresh that overtakes another one wins. */
let refreshes = 0;
async function refresh(): Promise<void> {
  clearTimeout(timer);
  const own = ++refreshes;
  try {
    const overview = await api.overview();
    await table.refresh(Date.parse(overview.time));
    if (own !== refreshes) return;
    show(overview);
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

function show(overview: Schemas['Overview']): void {
  showOverview(overview, table.status(), {
    openCluster: (runtimeId) => void openDetails(runtimeId),
    filterByStatus: table.filterByStatus,
    resume: askToResume,
  });
  setText(byId('session', HTMLElement), overview.user === '' ? 'Read-only' : overview.user);
  announce(overview);
  last = overview;
}

/** Says to screen readers what an operator would notice; not each number that changes. */
function announce(overview: Schemas['Overview']): void {
  const failed = (of: Schemas['Overview']) => of.versions.reduce((sum, each) => sum + each.failedClusters, 0);
  const words: string[] = [];
  if (last === undefined || failed(overview) !== failed(last)) {
    words.push(`The last run failed on ${countWords(failed(overview), 'cluster')}.`);
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
  const dialog = byId('resume', HTMLDialogElement);
  const name = `${rollout.kind} ${rollout.name}`;
  setText(byId('resume-title', HTMLElement), `Resume ${name}?`);
  setText(
    byId('resume-text', HTMLElement),
    `${countWords(rollout.heldClusters, 'cluster')} will be reconciled with it. It was paused since ${rollout.reason}.`,
  );
  dialog.returnValue = '';
  dialog.addEventListener(
    'close',
    () => {
      if (dialog.returnValue !== 'resume') return;
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
void refresh();
