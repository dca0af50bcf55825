import { expect, test } from '@jest/globals';
import type { LoadedModule, ModuleContext, OpenModule } from '../../framework/module/module.ts';
import type { StartFlags } from './flags.ts';
import { openModules } from './open-modules.ts';

function modulesOf(...names: string[]) {
  const lines: string[] = [];
  const loaded = names.map((name) => ({
    open: async (): Promise<OpenModule> => {
      if (name === 'broken') throw new Error('no configuration');
      lines.push(`open ${name}`);
      return { register: () => undefined, kinds: [], close: async () => void lines.push(`close ${name}`) };
    },
  })) as unknown as LoadedModule<StartFlags>[];
  return { lines, open: () => openModules(loaded, {} as ModuleContext<StartFlags>) };
}

test('modules are closed in the opposite order: later ones may use what earlier ones have', async () => {
  const { lines, open } = modulesOf('a', 'b');
  await (await open()).close();
  expect(lines).toEqual(['open a', 'open b', 'close b', 'close a']);
});

test('one that cannot be opened leaves none open', async () => {
  const { lines, open } = modulesOf('a', 'b', 'broken', 'c');
  await expect(open()).rejects.toThrow('no configuration');
  expect(lines).toEqual(['open a', 'open b', 'close b', 'close a']);
});
