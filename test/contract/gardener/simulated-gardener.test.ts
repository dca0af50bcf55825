import { afterAll, beforeAll, test } from '@jest/globals';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../simulators/gardener/simulated-gardener.ts';
import { contractCases } from './cases.ts';

let gardener: SimulatedGardener;

beforeAll(async () => {
  gardener = await startSimulatedGardener({
    clock: systemClock,
    stageMs: Number.POSITIVE_INFINITY,
    catalog: true,
  });
});
afterAll(() => gardener?.stop());

test.each(contractCases)('$title', ({ run }) => run(gardener));
