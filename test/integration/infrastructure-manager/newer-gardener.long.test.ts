/** Shoots of today are accepted by the gardener-apiserver that the Go program of 1.41 is compiled against, beside the older one. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ensureGardener, NEWER_GARDENER_VERSION } from '../../../hack/control-planes/gardener/binary.ts';
import { type Garden, startGarden } from '../../../hack/control-planes/gardener/garden.ts';
import { isObject } from '../../../internal/framework/base/json/json-value.ts';
import { planUpdate } from '../../../internal/systems/infrastructure-manager/gardener/plan-update.ts';
import { createShootRendering } from '../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import { uniqueShootName } from '../../contract/gardener/contract-case.ts';
import { configurationOf, pool, runtimeOf, zonesOf } from '../../contract/gardener/rendering/choices.ts';
import { createCases } from '../../contract/gardener/rendering/create-cases.ts';
import { exampleCases } from '../../contract/gardener/rendering/example-cases.ts';
import { lifeCases } from '../../contract/gardener/rendering/life-cases.ts';
import { createShoot } from '../../contract/gardener/rendering/patch-cases.ts';
import { installLandscape } from '../../environment/gardener/install-landscape.ts';
import { type GardenProject, openProject } from '../harness/gardener/garden.ts';

/** A newer seed tells its own DNS, and refers to credentials otherwise. */
const withNewerSeeds = (plane: Garden): Pick<Garden, 'request'> => ({
  request: (path, init) => {
    const { body } = init ?? {};
    if (!path.endsWith('/seeds') || !isObject(body)) return plane.request(path, init);
    const credentialsRef = { apiVersion: 'v1', kind: 'Secret', name: 'dns', namespace: 'garden' };
    const type = 'aws-route53';
    const dns = {
      provider: { type, credentialsRef },
      internal: { type, domain: 'internal.example.org', credentialsRef },
    };
    return plane.request(path, {
      ...init,
      body: { ...body, spec: { ...(isObject(body.spec) ? body.spec : {}), dns } },
    });
  },
});

let garden: Garden;
let project: GardenProject;

beforeAll(async () => {
  const gardenerBinary = await ensureGardener({ version: NEWER_GARDENER_VERSION });
  garden = await startGarden({ name: 'garden-newer', gardenerBinary });
  await installLandscape(withNewerSeeds(garden));
  project = await openProject(garden, { stageMs: Number.POSITIVE_INFINITY });
  // The first run on a machine builds it.
}, 1_200_000);
afterAll(async () => {
  await project?.stop();
  await garden?.stop();
});

test('it is that version', async () => {
  const { body } = await garden.request('/openapi/v3/apis/core.gardener.cloud/v1beta1');
  expect(body).toMatchObject({ info: { version: `v${NEWER_GARDENER_VERSION}` } });
});
describe('a new Shoot is accepted', () => {
  test.each(createCases)('$title', ({ run }) => run(project));
});
describe('a Shoot of each plan of the broker is accepted', () => {
  test.each(exampleCases)('$title', ({ run }) => run(project));
});
test.each(lifeCases)('$title', ({ run }) => run(project));

test('what kubelets may have since this version is stored in the Shoot, and is no difference afterwards', async () => {
  const name = uniqueShootName();
  const kubelet = { maxParallelImagePulls: 5, imageMinimumGCAge: '180s', imageMaximumGCAge: '168h' };
  const runtime = runtimeOf('aws', name, [
    pool('aws', zonesOf('aws').slice(0, 1), { kubernetes: { kubelet } }),
  ]);
  const stored = await createShoot(project, runtime);
  expect(stored.spec?.provider.workers?.[0]?.kubernetes?.kubelet).toMatchObject({
    ...kubelet,
    imageMinimumGCAge: '3m0s',
    imageMaximumGCAge: '168h0m0s',
  });
  const wanted = createShootRendering(configurationOf(project.project)).patch(runtime, stored, {});
  expect(planUpdate(stored, wanted, { applied: undefined, isOfOthers: () => false }).differences).toEqual([]);
});
