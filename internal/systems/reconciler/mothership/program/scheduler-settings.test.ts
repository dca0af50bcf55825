import { expect, test } from '@jest/globals';
import { defaultsOf, joinGroups } from '../../../../framework/process/flag.ts';
import type { MothershipSection } from '../config/mothership-file.ts';
import { type MothershipFlags, mothershipGroups } from '../config/start-flags.ts';
import { defaultSettings } from '../model/settings.ts';
import { schedulerSettings } from './scheduler-settings.ts';

const file: MothershipSection = {
  baseUrl: 'http://reconciler:8080',
  scheduler: {
    reconcilers: new Map(),
    maxParallel: new Map(),
    preComponents: [],
    deleteStrategy: 'system',
    componentCrds: new Map(),
  },
};

const settingsOf = (changed: Partial<MothershipFlags> = {}) =>
  schedulerSettings({
    flags: { ...defaultsOf(joinGroups(mothershipGroups)), login: true, ...changed },
    file,
    env: {},
    isMigrated: undefined,
  });

test('the defaults of the flags are those of the settings', () => {
  expect(settingsOf()).toMatchObject(defaultSettings);
});

test('the bounds of statuses come from their flags', () => {
  const { cleaner } = settingsOf({ statusesKeepNLatest: 7, statusesMaxAgeDays: 2 });
  expect(cleaner).toMatchObject({ keepStatuses: 7, maxStatusAgeMs: 2 * 24 * 3_600_000 });
});
