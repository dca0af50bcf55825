import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { noFence } from '../../../../base/concurrency/fence.ts';
import {
  forceRotateAnnotation,
  originalBindingAnnotation,
  rotationOfLabel,
  staleLabel,
} from '../../metadata.ts';
import { type BindingHarness, startBindingHarness } from '../fixtures/binding-harness.fixture.ts';
import { serviceBindings } from '../resource.ts';
import { sampleBinding } from '../secret/secret.fixture.ts';

let h: BindingHarness;
beforeEach(async () => {
  h = await startBindingHarness();
  await h.putInstance();
});
afterEach(() => h.stop());

/** SAP's operator ends the names of its backups with random characters. */
const backupName = 'orders-db-x7k2pq';

/** As SAP's operator leaves a rotation that ended after it had created the backup. */
async function leaveRotation(): Promise<void> {
  const rename = { name: backupName, kubernetesName: backupName };
  await h.sm.client.renameBinding('b-1', rename, { signal: new AbortController().signal, fence: noFence });
  const secretName = 'orders-secret-x7k2pq';
  const credentialsRotationPolicy = { enabled: false };
  const backup = sampleBinding({ externalName: backupName, secretName, credentialsRotationPolicy });
  backup.metadata = {
    namespace: 'shop',
    name: backupName,
    labels: { [staleLabel]: 'b-1', [rotationOfLabel]: 'orders-db' },
    annotations: { [originalBindingAnnotation]: 'orders-db' },
  };
  await h.apply(backup);
  const preparing = {
    type: 'CredRotationInProgress',
    status: 'True',
    reason: 'Preparing',
    message: '',
    lastTransitionTime: '2024-01-01T00:00:00Z',
  };
  await h.patchStatus({ conditions: [...(h.stored()?.status?.conditions ?? []), preparing] });
}

test('a rotation ends at once, also if the new credentials are those of the Secret', async () => {
  h.sm.credentials = () => JSON.stringify({ password: 'the same' });
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  await h.patch({ metadata: { annotations: { [forceRotateAnnotation]: '' } } });
  await h.wait();
  expect(h.stored()?.status?.bindingID).toBe('b-2');
  expect(h.condition('CredRotationInProgress')).toBeUndefined();
  expect(h.stored()?.status?.lastCredentialsRotationTime).toBeDefined();
});

test('a rotation that has a backup with another name goes on with it', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  await leaveRotation();
  await h.wait(1000);
  const { items } = await h.client.list(serviceBindings);
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['orders-db', backupName]);
  expect(h.sm.bindings.get('b-1')?.name).toBe(backupName);
  expect(h.stored()?.status).toMatchObject({ bindingID: 'b-2', ready: 'True' });
  expect(h.condition('CredRotationInProgress')).toBeUndefined();
  expect(h.stored(backupName)?.status).toMatchObject({ bindingID: 'b-1', ready: 'True' });
});
