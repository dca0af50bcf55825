import { api, type Schemas } from './api.ts';
import { byId, element, row, setCells, setText } from './elements.ts';
import { progressWords, sinceWords, spanWords, statusLook, statusWords, untilWords } from './words.ts';

const NS_PER_MS = 1e6;
const SVG = 'http://www.w3.org/2000/svg';
/** Units of the width of a timeline. */
const WIDTH = 1000;

/** Opens the dialog with the history of a cluster, and fills it. */
export async function openDetails(runtimeId: string): Promise<void> {
  const dialog = byId('details', HTMLDialogElement);
  const content = byId('details-content', HTMLDivElement);
  setText(byId('details-title', HTMLElement), `Cluster ${runtimeId}`);
  content.replaceChildren(element('p', { class: 'empty' }, 'Loading'));
  if (!dialog.open) dialog.showModal();
  try {
    const [{ statusChanges }, runs] = await Promise.all([api.statusChanges(runtimeId), api.runs(runtimeId)]);
    const [newest] = runs;
    const info = newest === undefined ? undefined : await api.run(newest.schedulingID);
    content.replaceChildren(...history(statusChanges), ...(info === undefined ? [] : run(info)));
  } catch (error) {
    content.replaceChildren(element('p', { class: 'notice' }, (error as Error).message));
  }
}

function history(changes: readonly Schemas['StatusChange'][]): Node[] {
  const rows = changes.slice(0, 20).map(({ status, started, duration }) => {
    const made = row(new Date(started).toLocaleString(), 2);
    setCells(made, [statusWords(status), spanWords(duration / NS_PER_MS)]);
    const state = made.cells[1];
    if (state !== undefined) state.className = `state ${statusLook(status)}`;
    return made;
  });
  return [
    element('h3', {}, 'Statuses of the last seven days'),
    timeline(changes),
    table(['Since', 'Status', 'For'], rows, 'Statuses, the newest first'),
  ];
}

/** A strip with the statuses in the order of time. The table has the same in words. */
function timeline(changes: readonly Schemas['StatusChange'][]): Element {
  const strip = document.createElementNS(SVG, 'svg');
  strip.setAttribute('class', 'timeline');
  strip.setAttribute('viewBox', `0 0 ${WIDTH} 24`);
  strip.setAttribute('preserveAspectRatio', 'none');
  strip.setAttribute('aria-hidden', 'true');
  const total = changes.reduce((sum, { duration }) => sum + duration, 0) || 1;
  let x = 0;
  for (const { status, duration } of changes.toReversed()) {
    const width = (WIDTH * duration) / total;
    const part = document.createElementNS(SVG, 'rect');
    part.setAttribute('class', statusLook(status));
    part.setAttribute('x', x.toFixed(2));
    part.setAttribute('width', width.toFixed(2));
    part.setAttribute('height', '24');
    strip.append(part);
    x += width;
  }
  return strip;
}

function run({ created, operations, status, finished }: Schemas['ReconciliationInfo']): Node[] {
  const now = Date.now();
  const rows = operations.map((operation) => {
    const made = row(operation.component, 4);
    setCells(made, [
      operation.state,
      operation.reason,
      `${operation.retries}`,
      progressWords(operation.progress) || untilWords(operation.nextAttempt, now),
    ]);
    return made;
  });
  const words = finished ? `Newest run, ended: ${statusWords(status)}` : 'Newest run, in progress';
  return [
    element('h3', {}, `${words}; begun ${sinceWords(created, now)} ago`),
    table(['Component', 'State', 'Reason', 'Attempts', 'Progress or next attempt'], rows, 'Operations'),
  ];
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
  return element(
    'div',
    { class: 'table' },
    element('table', { 'aria-label': label }, element('thead', {}, head), body),
  );
}
