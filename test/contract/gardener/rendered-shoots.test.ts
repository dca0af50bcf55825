/** The Shoots that are rendered from Runtimes are accepted by the simulated Gardener, as they are by the real one. */
import { afterAll, beforeAll, test } from '@jest/globals';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../simulators/gardener/simulated-gardener.ts';
import { createCases } from './rendering/create-cases.ts';
import { exampleCases } from './rendering/example-cases.ts';
import { lifeCases } from './rendering/life-cases.ts';
import { patchCases } from './rendering/patch-cases.ts';

let gardener: SimulatedGardener;

beforeAll(async () => {
  gardener = await startSimulatedGardener({
    clock: systemClock,
    stageMs: Number.POSITIVE_INFINITY,
    catalog: true,
  });
});
afterAll(() => gardener?.stop());

test.each([...createCases, ...patchCases, ...lifeCases, ...exampleCases])('$title', ({ run }) =>
  run(gardener),
);
