import { describe, expect, test } from '@jest/globals';
import { joinGroups } from '../../framework/process/flag.ts';
import {
  defaultModules,
  doctorGroups,
  moduleGroups,
  moduleList,
  modules,
  modulesNamed,
  ownLeaseOf,
} from './modules.ts';
import { loadModules } from './open-modules.ts';

const namesOf = (text: string) => modulesNamed(text, modules)?.map(({ name }) => name);

describe('--controllers', () => {
  test.each([
    { text: defaultModules, want: ['config', 'inventory'], reason: 'the default' },
    { text: 'config', want: ['config'], reason: 'one alone' },
    { text: 'btp', want: ['btp'], reason: 'it requires no other' },
    { text: 'inventory, config', want: ['config', 'inventory'], reason: 'in the order of registration' },
    { text: 'config,config', want: ['config'], reason: 'each once' },
    {
      text: 'config,inventory,btp',
      want: ['config', 'inventory', 'btp'],
      reason: 'a module that is not in the default',
    },
    { text: 'inventory', want: undefined, reason: 'it requires another module' },
    { text: 'config,nonsense', want: undefined, reason: 'unknown module' },
    { text: 'toString', want: undefined, reason: 'a property of Object.prototype' },
    { text: '', want: undefined, reason: 'empty' },
  ])('"$text" selects $want: $reason', ({ text, want }) => {
    expect(namesOf(text)).toEqual(want);
    expect(moduleList(modules).accepts(text)).toBe(want !== undefined);
  });

  test('describes the modules and what they require', () => {
    const known = [{ name: 'a' }, { name: 'b', needs: ['a'] }];
    expect(moduleList(known).description).toBe('names of modules, separated by commas: a, b (needs a)');
  });
});

test.each([
  { names: 'infrastructure-manager', lease: 'f1c68560.kyma-project.io' },
  { names: 'btp,infrastructure-manager', lease: undefined },
  { names: 'btp', lease: undefined },
])('the Lease of another program is used for $names: $lease', ({ names, lease }) => {
  expect(ownLeaseOf(names)).toBe(lease);
});

test('only the named modules are loaded', async () => {
  const [config] = await loadModules();
  await expect(loadModules('config')).resolves.toEqual([config]);
});

test('no two modules have the same flag or environment variable', () => {
  expect(() => joinGroups(moduleGroups)).not.toThrow();
  expect(() => joinGroups(doctorGroups)).not.toThrow();
});

test('the kinds of a module refer to provider configurations that are reconciled with it', async () => {
  const loaded = await loadModules();
  const reconciled = loaded.flatMap(({ configs }) => configs);
  for (const { configs } of loaded.flatMap(({ kinds }) => kinds)) expect(reconciled).toContain(configs);
});
