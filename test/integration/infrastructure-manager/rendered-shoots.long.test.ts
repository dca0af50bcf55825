/** The Shoots that are rendered from Runtimes are accepted by a real gardener-apiserver, new ones and changed ones. */
import { describe, expect, test } from '@jest/globals';
import { createCases } from '../../contract/gardener/rendering/create-cases.ts';
import { exampleCases } from '../../contract/gardener/rendering/example-cases.ts';
import { lifeCases } from '../../contract/gardener/rendering/life-cases.ts';
import { patchCases } from '../../contract/gardener/rendering/patch-cases.ts';
import { forFile } from '../harness/for-file.ts';
import { openProject, sharedGarden } from '../harness/gardener/garden.ts';

const project = forFile(async () => openProject(await sharedGarden(), { stageMs: Number.POSITIVE_INFINITY }));

test('there are enough cases', () => {
  expect(createCases.length + patchCases.length).toBeGreaterThanOrEqual(300);
});
describe('a new Shoot is accepted', () => {
  test.each(createCases)('$title', ({ run }) => run(project));
});
describe('a Shoot of each plan of the broker is accepted', () => {
  test.each(exampleCases)('$title', ({ run }) => run(project));
});
describe('a changed Shoot is accepted', () => {
  test.each(patchCases)('$title', ({ run }) => run(project));
});
test.each(lifeCases)('$title', ({ run }) => run(project));
