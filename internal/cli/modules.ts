import type { TextForm } from '../console/flag.ts';
import { configModule } from '../controllers/config/module.ts';
import { inventoryModule } from '../controllers/inventory/module.ts';
import type { Module } from '../controllers/module/module.ts';

/** The modules of the program, in the order in which they are registered: a new module is added here. */
export const modules = [configModule, inventoryModule] as const;

/** Flags of `start` that modules bring. */
export const moduleFlags = { ...inventoryModule.flags };

/** Commands that modules bring. */
export const moduleCommands = [...inventoryModule.commands];

/** What runs unless `--controllers` says otherwise, and what the other commands are about. */
export const defaultModules = 'config,inventory';

type Listed = Pick<Module, 'name' | 'needs'>;

/** The modules of a list such as `config,inventory`, in their own order; undefined where the list makes no sense. */
export function modulesNamed<M extends Listed>(text: string, known: readonly M[]): M[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  const isKnown = (name: string) => known.some((each) => each.name === name);
  const chosen = known.filter(({ name }) => names.includes(name));
  const isComplete = chosen.every(({ needs = [] }) => needs.every((need) => names.includes(need)));
  return names.every(isKnown) && isComplete ? chosen : undefined;
}

/** What `--controllers` takes. */
export const moduleList = (known: readonly Listed[]): TextForm => ({
  description: `names of modules, separated by commas: ${known.map(describe).join(', ')}`,
  accepts: (text) => modulesNamed(text, known) !== undefined,
});

const describe = ({ name, needs = [] }: Listed): string =>
  needs.length === 0 ? name : `${name} (needs ${needs.join(' and ')})`;
