import { redact } from '../../../../framework/base/index.ts';
import { bounds, counts, type JsonFields, jsonFields, keyProblem } from '../../operations/json-documents.ts';
import type {
  ClusterDocument,
  Component,
  ConfigurationEntry,
  KymaConfig,
  Metadata,
} from '../model/cluster.ts';
import { CALLBACK_STATUSES, type Callback } from '../model/reconciliation.ts';
import { foreignNameProblem } from '../model/registrant.ts';
import { badRequest } from './api-request.ts';

/** The document of a registration. @throws ApiError 400 */
export function readCluster(body: unknown): ClusterDocument {
  const fields = bodyFields(body);
  const runtimeID = fields.requiredText('runtimeID', bounds.runtimeID);
  const input = fields.object('runtimeInput');
  const kubeconfig = fields.text('kubeconfig');
  const name = input.text('name', bounds.name);
  const problem = foreignNameProblem(name, input.text('namespace', bounds.namespace));
  if (problem !== undefined) input.fail('name', problem);
  return {
    runtimeID,
    runtimeInput: {
      name,
      description: input.text('description', bounds.description),
    },
    kymaConfig: kymaConfig(fields.object('kymaConfig')),
    metadata: metadata(fields.object('metadata')),
    ...(kubeconfig.trim() === '' ? {} : { kubeconfig }),
  };
}

const kymaConfig = (fields: JsonFields): KymaConfig => ({
  version: fields.requiredText('version', bounds.version),
  profile: fields.text('profile', bounds.profile),
  components: fields.objects('components', { max: counts.components }, component),
  administrators: fields.texts('administrators', {
    max: counts.administrators,
    each: bounds.administrator,
  }),
});

const component = (fields: JsonFields): Component => ({
  component: fields.requiredText('component', bounds.component),
  namespace: fields.text('namespace', bounds.namespace),
  configuration: fields.objects('configuration', { max: counts.configuration }, configurationEntry),
  URL: fields.text('URL', bounds.url),
  version: fields.text('version', bounds.version),
});

function configurationEntry(entry: JsonFields): ConfigurationEntry {
  const key = entry.requiredText('key');
  const problem = keyProblem(key);
  if (problem !== undefined) entry.fail('key', problem);
  return { key, value: entry.json('value'), secret: entry.boolean('secret') };
}

const metadata = (fields: JsonFields): Metadata => ({
  globalAccountID: fields.text('globalAccountID', bounds.metadata),
  subAccountID: fields.text('subAccountID', bounds.metadata),
  serviceID: fields.text('serviceID', bounds.metadata),
  servicePlanID: fields.text('servicePlanID', bounds.metadata),
  servicePlanName: fields.text('servicePlanName', bounds.metadata),
  shootName: fields.text('shootName', bounds.metadata),
  instanceID: fields.text('instanceID', bounds.metadata),
  region: fields.text('region', bounds.metadata),
});

/** The fields of the body of a request. @throws ApiError 400 from all methods that read a field which cannot be used */
export const bodyFields = (body: unknown): JsonFields =>
  jsonFields(body, { refuse: badRequest, areStored: true });

/** Limit of the progress of an operation, as JSON, in bytes. */
const MAX_PROGRESS_BYTES = 16 * 1024;

/** What a component reconciler reports. */
interface CallbackBody
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
