import { redact } from '../../../../../framework/base/index.ts';

import { CALLBACK_STATUSES, type Callback } from '../../model/callback.ts';
import { bodyFields } from './read-cluster.ts';

/** Limit of the progress of an operation, as JSON, in bytes. */
const MAX_PROGRESS_BYTES = 16 * 1024;

/** What a component reconciler reports. */
export interface CallbackBody
  extends Pick<Callback, 'status' | 'error' | 'retryId' | 'processingDurationMs' | 'progress'> {
  /** Of a dry run. */
  readonly manifest: string;
}

/** @throws ApiError 400 */
export function readCallback(body: unknown): CallbackBody {
  const fields = bodyFields(body);
  const text = fields.requiredText('status');
  const status = CALLBACK_STATUSES.find((known) => known === text);
  if (status === undefined) return fields.fail('status', `want one of ${CALLBACK_STATUSES.join(', ')}`);
  const progress = fields.has('progress') ? fields.json('progress') : undefined;
  if (progress !== undefined && Buffer.byteLength(JSON.stringify(progress)) > MAX_PROGRESS_BYTES) {
    fields.fail('progress', `want at most ${MAX_PROGRESS_BYTES} bytes`);
  }
  return {
    status,
    error: redact(fields.text('error')),
    retryId: fields.text('retryID'),
    processingDurationMs: fields.count('processingDuration'),
    manifest: fields.text('manifest'),
    ...(progress === undefined ? {} : { progress: redactedJson(progress) }),
  };
}

const redactedJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'string' ? redact(member) : member,
  );
