import { expect, test } from '@jest/globals';
import { eventually } from './eventually.ts';
import { askOnDemand, serveOnDemand } from './on-demand.ts';

const VARIABLE = 'PROVIDER_KYMA_TEST_ON_DEMAND';
const ask = async () => {
  const lent = await askOnDemand<string>(VARIABLE);
  if (lent === undefined) throw new Error('it is not served');
  return lent;
};

test('it is started for the first user, paused after the last one, and resumed for the next', async () => {
  const events: string[] = [];
  const service = await serveOnDemand(VARIABLE, async () => {
    events.push('start');
    return {
      value: 'address',
      pause: () => {
        events.push('pause');
        return async () => void events.push('resume');
      },
      stop: async () => void events.push('stop'),
    };
  });
  const [one, other] = await Promise.all([ask(), ask()]);
  expect([one?.value, other?.value, events]).toEqual(['address', 'address', ['start']]);
  one.giveBack();
  other.giveBack();
  await eventually(() => expect(events).toEqual(['start', 'pause']));
  const next = await ask();
  expect(events).toEqual(['start', 'pause', 'resume']);
  next.giveBack();
  await eventually(() => expect(events).toEqual(['start', 'pause', 'resume', 'pause']));
  await service.stop();
  expect(events.at(-1)).toBe('stop');
});

test('why it could not be started is told each user', async () => {
  const service = await serveOnDemand(VARIABLE, async () => {
    throw new Error('no port');
  });
  await expect(ask()).rejects.toThrow('no port');
  await expect(ask()).rejects.toThrow('no port');
  await service.stop();
});
