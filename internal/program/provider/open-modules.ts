import { ProviderError } from '../../framework/base/index.ts';

import type {
  LoadedModule,
  Module,
  ModuleContext,
  OpenKind,
  OpenModule,
} from '../../framework/module/module.ts';
import type { StartFlags } from './flags.ts';
import { defaultModules, modules, modulesNamed } from './modules.ts';

/** Loads the code of these modules only. @param names the value of `--controllers` */
export function loadModules(names: string = defaultModules): Promise<LoadedModule<StartFlags>[]> {
  const chosen: readonly Module<StartFlags>[] | undefined = modulesNamed(names, modules);
  // Not reached: the flag's parser refuses invalid names.
  if (chosen === undefined) throw new ProviderError('terminal', `cannot load modules ${names}`);
  return Promise.all(chosen.map((module) => module.load()));
}

/** Modules with their connections. */
export interface OpenModules extends AsyncDisposable {
  readonly modules: readonly OpenModule[];
  /** The kinds of all modules. */
  readonly kinds: readonly OpenKind[];
  close(): Promise<void>;
}

export async function openModules(
  loaded: readonly LoadedModule<StartFlags>[],
  context: ModuleContext<StartFlags>,
): Promise<OpenModules> {
  const opened: OpenModule[] = [];
  const close = async () => {
    for (const module of opened.toReversed()) await module.close();
  };
  try {
    for (const module of loaded) opened.push(await module.open(context));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    modules: opened,
    kinds: opened.flatMap(({ kinds }) => kinds),
    close,
    [Symbol.asyncDispose]: close,
  };
}
