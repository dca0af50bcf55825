/** The cases of the simulated Gardener's contract on a real gardener-apiserver. */
import { afterAll, beforeAll, test } from '@jest/globals';
import { contractCases } from '../../contract/gardener/cases.ts';
import { type GardenProject, openProject, sharedGarden } from '../harness/gardener/garden.ts';

let project: GardenProject;

beforeAll(async () => {
  project = await openProject(await sharedGarden(), { stageMs: Number.POSITIVE_INFINITY });
});
afterAll(() => project?.stop());

test.each(contractCases)('$title', ({ run }) => run(project));
