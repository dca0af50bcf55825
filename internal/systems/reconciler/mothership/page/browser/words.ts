import type { Schemas } from './api.ts';

type Status = Schemas['Status'];
type Group = Schemas['ClusterGroup'];
/** `busy`: work goes on as it should; `waiting`: something has to happen first. */
export type Look = 'good' | 'bad' | 'busy' | 'waiting' | 'off';

/** The words of a status, and how it is shown. */
const STATUSES: Readonly<Record<Status, readonly [words: string, look: Look]>> = {
  ready: ['ready', 'good'],
  reconcile_pending: ['pending', 'busy'],
  reconciling: ['reconciling', 'busy'],
  reconcile_error_retryable: ['retrying', 'bad'],
  error: ['failed', 'bad'],
  reconcile_disabled: ['disabled', 'off'],
  delete_pending: ['deletion pending', 'busy'],
  deleting: ['deleting', 'busy'],
  delete_error_retryable: ['deletion retrying', 'bad'],
  delete_error: ['deletion failed', 'bad'],
  deleted: ['deleted', 'off'],
};

export const allStatuses = Object.keys(STATUSES) as Status[];
export const statusWords = (status: Status): string => STATUSES[status][0];
export const statusLook = (status: Status): Look => STATUSES[status][1];

export const allGroups: readonly Group[] = ['ready', 'working', 'failing', 'held', 'disabled'];
const GROUP_LOOKS: Readonly<Record<Group, Look>> = {
  ready: 'good',
  working: 'busy',
  failing: 'bad',
  held: 'waiting',
  disabled: 'off',
};
/** That of a number of clusters: none is neither good nor bad. */
export const groupLook = (group: Group, clusters: number): Look =>
  clusters === 0 ? 'off' : GROUP_LOOKS[group];

/** The state of a cluster, in which a pause counts too. */
export const stateWords = ({ held, status }: Pick<Schemas['ClusterSummary'], 'held' | 'status'>): string =>
  held ? `${statusWords(status)}, held` : statusWords(status);
export const stateLook = ({ held, status }: Pick<Schemas['ClusterSummary'], 'held' | 'status'>): Look =>
  held ? 'waiting' : statusLook(status);

/** Words and look of the state of an operation. */
export function operationWords({ state }: Pick<Schemas['Operation'], 'state'>): readonly [string, Look] {
  switch (state) {
    case 'new':
      return ['waiting', 'off'];
    case 'in_progress':
      return ['reconciling', 'busy'];
    case 'failed':
    case 'client_error':
    case 'orphan':
      return ['retrying', 'bad'];
    case 'done':
      return ['done', 'good'];
    case 'error':
      return ['failed', 'bad'];
    default:
      return [state satisfies never, 'off'];
  }
}

/** `3 days`, `5 min`, `12 s`: how long ago or until, in the largest unit. */
export function spanWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** A duration that may be shorter than a second; empty if there is none. */
export function durationWords(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const rest = seconds % 60;
  return seconds < 60 || seconds >= 3600 || rest === 0 ? spanWords(ms) : `${spanWords(ms)} ${rest} s`;
}

/** @param now of the server, in ms */
export const sinceWords = (time: string, now: number): string => spanWords(now - Date.parse(time));

/** @param now of the server, in ms */
export function untilWords(time: string | undefined, now: number): string {
  if (time === undefined) return '';
  const ms = Date.parse(time) - now;
  return ms <= 0 ? 'now' : `in ${spanWords(ms)}`;
}

export const numberWords = (count: number): string => count.toLocaleString('en');

export const countWords = (count: number, one: string, many = `${one}s`): string =>
  `${numberWords(count)} ${count === 1 ? one : many}`;

/** What a component reconciler reported, in one line. */
export function progressWords(progress: unknown): string {
  if (progress === undefined || progress === null) return '';
  if (typeof progress === 'string') return progress;
  const { message } = progress as { message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(progress);
}
