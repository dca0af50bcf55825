import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GARDENER_VERSION } from '../../../hack/control-planes/gardener/binary.ts';
import { type Garden, startGarden } from '../../../hack/control-planes/gardener/garden.ts';
import { eventually } from '../../environment/eventually.ts';

const PROJECTS = '/apis/core.gardener.cloud/v1beta1/projects';

// It would disturb other tests: a garden of its own.
let garden: Garden;

beforeAll(async () => {
  garden = await startGarden({ name: 'garden-faults' });
});
afterAll(() => garden?.stop());

test('a garden serves the pinned version of Gardener beside Kubernetes’ own kinds', async () => {
  await eventually(async () => {
    const answer = await garden.request('/openapi/v3/apis/core.gardener.cloud/v1beta1');
    expect(answer).toMatchObject({ status: 200, body: { info: { version: `v${GARDENER_VERSION}` } } });
  });
  expect(await garden.request('/api/v1/namespaces/default')).toMatchObject({ status: 200 });
});

test('a gardener-apiserver that crashed comes back with the same data, and Kubernetes’ own kinds stay served', async () => {
  const project = { metadata: { name: 'kept' }, spec: {} };
  const body = { apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Project', ...project };
  expect(await garden.request(PROJECTS, { method: 'POST', body })).toMatchObject({ status: 201 });

  await garden.stopGardener();
  expect((await garden.request(`${PROJECTS}/kept`)).status).toBe(503);
  expect((await garden.request('/api/v1/namespaces/default')).status).toBe(200);
  await garden.startGardener();

  expect(await garden.request(`${PROJECTS}/kept`)).toMatchObject({ status: 200 });
});

test('a gardener-apiserver that hangs answers once it goes on', async () => {
  const thaw = await garden.freezeGardener();
  try {
    await expect(garden.request(PROJECTS, { timeoutMs: 500 })).rejects.toThrow(/no answer/);
  } finally {
    thaw();
  }

  await eventually(async () => expect((await garden.request(PROJECTS)).status).toBe(200));
});
