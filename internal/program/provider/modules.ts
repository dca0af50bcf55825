import type { Module } from '../../framework/module/module.ts';
import type { TextForm } from '../../framework/process/flag.ts';
import { btpModule } from '../../systems/btp/module.ts';
import { infrastructureManagerModule } from '../../systems/infrastructure-manager/module.ts';
import { configModule } from '../../systems/inventory/config/module.ts';
import { inventoryModule } from '../../systems/inventory/module.ts';
import { reconcilerModule } from '../../systems/reconciler/kyma-cluster/module.ts';

/** The modules of the program in the order of registration. Add new modules here: their flags and commands follow. */
export const modules = [
  configModule,
  inventoryModule,
  btpModule,
  infrastructureManagerModule,
  reconcilerModule,
] as const;

const headingOf = ({ name }: Pick<Module, 'name'>) => `Options of the module ${name}:`;

/** The flags of `start` of each module. */
export const moduleGroups = modules.flatMap((module) =>
  'flags' in module ? [{ heading: headingOf(module), flags: module.flags }] : [],
);

/** The flags of `doctor` of each module. */
export const doctorGroups = modules.flatMap((module) =>
  'doctorFlags' in module ? [{ heading: headingOf(module), flags: module.doctorFlags }] : [],
);

/** The commands of all modules. */
export const moduleCommands = modules.flatMap((module) => ('commands' in module ? module.commands : []));

/** The default of `--controllers`. The other commands always use these modules. */
export const defaultModules = 'config,inventory';

type Listed = Pick<Module, 'name' | 'needs'>;

/** The modules of a list such as `config,inventory`, in the order of registration; undefined if it is invalid. */
export function modulesNamed<M extends Listed>(text: string, known: readonly M[]): M[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  const isKnown = (name: string) => known.some((each) => each.name === name);
  const chosen = known.filter(({ name }) => names.includes(name));
  const isComplete = chosen.every(({ needs = [] }) => needs.every((need) => names.includes(need)));
  return names.every(isKnown) && isComplete ? chosen : undefined;
}

/** The Lease of the only module of a list; undefined: the provider's. @param names the value of `--controllers` */
export function ownLeaseOf(names: string): string | undefined {
  const [only, ...others] = modulesNamed<Module>(names, modules) ?? [];
  return others.length === 0 ? only?.ownLease : undefined;
}

/** The values of `--controllers`. */
export const moduleList = (known: readonly Listed[]): TextForm => ({
  description: `names of modules, separated by commas: ${known.map(describe).join(', ')}`,
  accepts: (text) => modulesNamed(text, known) !== undefined,
});

const describe = ({ name, needs = [] }: Listed): string =>
  needs.length === 0 ? name : `${name} (needs ${needs.join(' and ')})`;
