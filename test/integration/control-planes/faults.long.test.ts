import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { eventually } from '../../environment/eventually.ts';

// It would disturb other tests: a control plane of its own.
let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ name: 'faults' });
});

afterAll(() => plane.stop());

const readMarker = () => plane.request('/api/v1/namespaces/default/configmaps/marker');

const isDeleted = async (path: string) => {
  expect(await plane.request(path)).toMatchObject({ status: 404 });
};

test('an API server that crashed comes back on the same port with the same data and working controllers', async () => {
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const created = await plane.request(configMaps, { method: 'POST', body: { metadata: { name: 'marker' } } });
  const { metadata } = created.body as { metadata: { uid: string } };

  await plane.stopApiServer();
  await expect(readMarker()).rejects.toThrow(/ECONNREFUSED/);
  await plane.startApiServer();

  expect(await readMarker()).toMatchObject({ status: 200, body: { metadata: { uid: metadata.uid } } });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'marker', uid: metadata.uid }];
  const dependent = { metadata: { name: 'dependent', ownerReferences } };
  await plane.request(configMaps, { method: 'POST', body: dependent });
  await plane.request(`${configMaps}/marker`, { method: 'DELETE' });
  await eventually(() => isDeleted(`${configMaps}/dependent`), { timeoutMs: 50_000 });
});

test('an API server that hangs responds once it goes on', async () => {
  const thaw = await plane.freeze('kube-apiserver');
  const expectNoAnswer = () =>
    expect(plane.request('/readyz', { timeoutMs: 500 })).rejects.toThrow(/no answer/);
  await expectNoAnswer();
  let answered = false;
  const answer = plane.request('/version').then((result) => {
    answered = true;
    return result;
  });
  // It hangs when another, later connection is accepted and gets no response.
  await expectNoAnswer();
  expect(answered).toBe(false);

  thaw();

  expect(await answer).toMatchObject({ status: 200 });
});

test('stopping removes everything the control plane stored', async () => {
  await plane.stop();

  expect(existsSync(plane.directory)).toBe(false);
});
