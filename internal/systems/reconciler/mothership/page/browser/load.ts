import type { Schemas } from './api.ts';
import { byId, labelled, row, setCells, showList } from './elements.ts';
import { durationWords, numberWords } from './words.ts';

const HEADINGS = ['Component', 'Waiting', 'Running', 'Busy workers', 'Time, p50', 'Time, p95'];

/** What component reconcilers have to do, and how busy they are. */
export function showLoad(load: readonly Schemas['ComponentLoad'][]): void {
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
