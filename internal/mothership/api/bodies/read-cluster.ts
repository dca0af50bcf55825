import type { ClusterDocument, Component, KymaConfig, Metadata } from '../../model/cluster.ts';
import { type JsonFields, jsonFields } from './json-fields.ts';

/** A runtime id is part of other ids, which the tables of the Go program hold in 255 characters. */
const MAX_RUNTIME_ID = 200;

/** The document of a registration. @throws ApiError 400 */
export function readCluster(body: unknown): ClusterDocument {
  const fields = jsonFields(body);
  const runtimeID = fields.requiredText('runtimeID');
  if (runtimeID.length > MAX_RUNTIME_ID)
    fields.fail('runtimeID', `want at most ${MAX_RUNTIME_ID} characters`);
  const input = fields.object('runtimeInput');
  const kubeconfig = fields.text('kubeconfig');
  return {
    runtimeID,
    runtimeInput: { name: input.text('name'), description: input.text('description') },
    kymaConfig: kymaConfig(fields.object('kymaConfig')),
    metadata: metadata(fields.object('metadata')),
    ...(kubeconfig.trim() === '' ? {} : { kubeconfig }),
  };
}

const kymaConfig = (fields: JsonFields): KymaConfig => ({
  version: fields.requiredText('version'),
  profile: fields.text('profile'),
  components: fields.objects('components', component),
  administrators: fields.texts('administrators'),
});

const component = (fields: JsonFields): Component => ({
  component: fields.requiredText('component'),
  namespace: fields.text('namespace'),
  configuration: fields.objects('configuration', (entry) => ({
    key: entry.requiredText('key'),
    value: entry.json('value'),
    secret: entry.boolean('secret'),
  })),
  URL: fields.text('URL'),
  version: fields.text('version'),
});

const metadata = (fields: JsonFields): Metadata => ({
  globalAccountID: fields.text('globalAccountID'),
  subAccountID: fields.text('subAccountID'),
  serviceID: fields.text('serviceID'),
  servicePlanID: fields.text('servicePlanID'),
  servicePlanName: fields.text('servicePlanName'),
  shootName: fields.text('shootName'),
  instanceID: fields.text('instanceID'),
  region: fields.text('region'),
});
