import type { Schemas } from './api.ts';

type Status = Schemas['Status'];

/** The words of a status, and how it is shown. */
const STATUSES: Readonly<Record<Status, readonly [words: string, look: 'good' | 'bad' | 'waiting' | 'off']>> =
  {
    ready: ['ready', 'good'],
    reconcile_pending: ['waits for a run', 'waiting'],
    reconciling: ['is reconciled', 'waiting'],
    reconcile_error_retryable: ['failed, is tried again', 'bad'],
    error: ['failed', 'bad'],
    reconcile_disabled: ['disabled', 'off'],
    delete_pending: ['waits for its deletion', 'waiting'],
    deleting: ['is deleted', 'waiting'],
    delete_error_retryable: ['deletion failed, is tried again', 'bad'],
    delete_error: ['deletion failed', 'bad'],
    deleted: ['deleted', 'off'],
  };

export const allStatuses = Object.keys(STATUSES) as Status[];
export const statusWords = (status: Status): string => STATUSES[status][0];
export const statusLook = (status: Status): string => STATUSES[status][1];

/** `3 days`, `5 min`, `12 s`: how long ago or until, in the largest unit. */
export function spanWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** @param now of the server, in ms */
export const sinceWords = (time: string, now: number): string => spanWords(now - Date.parse(time));

/** @param now of the server, in ms */
export function untilWords(time: string | undefined, now: number): string {
  if (time === undefined) return '';
  const ms = Date.parse(time) - now;
  return ms <= 0 ? 'now' : `in ${spanWords(ms)}`;
}

export const countWords = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** What a component reconciler reported, in one line. */
export function progressWords(progress: unknown): string {
  if (progress === undefined || progress === null) return '';
  if (typeof progress === 'string') return progress;
  const { message } = progress as { message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(progress);
}
