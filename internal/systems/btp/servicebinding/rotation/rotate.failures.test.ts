import { beforeEach, expect, test } from '@jest/globals';
import { forEachTest } from '../../../../framework/base/for-each-test.fixture.ts';
import { apiError } from '../../../../framework/kube/fakes/memory-client.ts';
import { refusal } from '../../fixtures/fake-service-manager/responses.fixture.ts';
import { forceRotateAnnotation, staleLabel } from '../../metadata.ts';
import { startHarnessWithInstance } from '../fixtures/binding-harness.fixture.ts';
import { serviceBindings } from '../resource.ts';

const h = forEachTest(startHarnessWithInstance);
beforeEach(async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
});

const forceRotation = () => h.patch({ metadata: { annotations: { [forceRotateAnnotation]: '' } } });
const backups = async () =>
  (await h.client.list(serviceBindings)).items.filter(({ metadata }) => metadata.labels?.[staleLabel]);

test('a rotation whose backup cannot be created shows why, and goes on when it can', async () => {
  const allow = h.client.onRequest(({ verb, type }) => {
    if (verb === 'create' && type === serviceBindings) throw apiError(403, 'Forbidden', 'quota of bindings');
  });
  await forceRotation();
  await h.wait(60_000);
  expect(h.condition('CredRotationInProgress')).toContain('quota of bindings');
  expect(h.stored()?.status).toMatchObject({ bindingID: 'b-1', ready: 'True' });
  expect(h.secret()?.password).toBe('secret-orders-db');
  allow();
  await h.wait(120_000);
  expect(h.stored()?.status?.bindingID).toBe('b-2');
  expect(await backups()).toHaveLength(1);
});

test('a binding that is deleted during its rotation leaves nothing in Service Manager', async () => {
  h.sm.fail('bind', [refusal(400, 'no quota')], 'forever');
  await forceRotation();
  await h.wait();
  expect(h.condition('CredRotationInProgress')).toMatch(/^True Rotating/);
  await h.removeInstance();
  const [backup] = await backups();
  await h.delete();
  if (backup) await h.delete(backup.metadata.name);
  await h.wait(60_000);
  expect((await h.client.list(serviceBindings)).items).toEqual([]);
  expect(h.sm.bindings.size).toBe(0);
});
