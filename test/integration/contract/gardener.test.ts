/** The cases of the simulated Gardener's contract on a real gardener-apiserver. */
import { test } from '@jest/globals';
import { contractCases } from '../../contract/gardener/cases.ts';
import { forFile } from '../harness/for-file.ts';
import { openProject, sharedGarden } from '../harness/gardener/garden.ts';

const project = forFile(async () => openProject(await sharedGarden(), { stageMs: Number.POSITIVE_INFINITY }));

test.each(contractCases)('$title', ({ run }) => run(project));
