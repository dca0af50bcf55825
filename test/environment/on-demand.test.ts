import { expect, test } from '@jest/globals';
import { askOnDemand, serveOnDemand } from './on-demand.ts';

const VARIABLE = 'PROVIDER_KYMA_TEST_ON_DEMAND';

test('it is started once, when the first worker asks for it, and stopped with the run', async () => {
  const events: string[] = [];
  const service = await serveOnDemand(VARIABLE, async () => {
    events.push('start');
    return { value: 'address', stop: async () => void events.push('stop') };
  });
  expect(events).toEqual([]);
  const asked = [askOnDemand(VARIABLE), askOnDemand(VARIABLE)];
  expect(await Promise.all(asked)).toEqual(['address', 'address']);
  expect(events).toEqual(['start']);
  await service.stop();
  expect(events).toEqual(['start', 'stop']);
});

test('why it could not be started is told each worker', async () => {
  const service = await serveOnDemand(VARIABLE, async () => {
    throw new Error('no port');
  });
  await expect(askOnDemand(VARIABLE)).rejects.toThrow('no port');
  await expect(askOnDemand(VARIABLE)).rejects.toThrow('no port');
  await service.stop();
});
