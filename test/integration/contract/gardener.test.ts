/** The cases of the simulated Gardener's contract on a real gardener-apiserver. */
import { afterAll, beforeAll, test } from '@jest/globals';
import { contractCases } from '../../contract/gardener/cases.ts';
import { type GardenProject, openProject } from '../harness/gardener/garden.ts';

let project: GardenProject;

beforeAll(async () => {
  project = await openProject({ stageMs: Number.POSITIVE_INFINITY });
});
afterAll(() => project?.stop());

test.each(contractCases)('$title', ({ run }) => run(project));
