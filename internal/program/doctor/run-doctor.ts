import { ProviderError } from '../../framework/base/index.ts';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';
import { reporting } from '../../framework/module/console/reporting-command.ts';
import { printed, styleFor } from '../../framework/module/console/shown.ts';
import type { Diagnosis } from '../../framework/module/diagnosis.ts';
import type { DiagnosisQuestion, Module, OpenModule } from '../../framework/module/module.ts';
import { inventoryModule } from '../../systems/inventory/module.ts';
import { openReadOnlyConnections } from '../provider/connections/program-connections.ts';
import type { StartFlags } from '../provider/flags.ts';
import { modules } from '../provider/modules.ts';
import { loadModules, openModules } from '../provider/open-modules.ts';
import { type DoctorFlags, doctorExitCodes, formatDiagnosis } from './doctor.ts';

/** For all checks together. */
const TIMEOUT_MS = 60_000;

/** Prints the report and returns the exit code. */
export function runDoctor(resource: string, flags: DoctorFlags, host: ProcessLike): Promise<number> {
  return reporting({ name: 'doctor', host, failed: doctorExitCodes.usage }, async ({ print }) => {
    const { module, kind, name } = parseResource(resource, flags.all === true);
    await using connections = await openReadOnlyConnections(flags, host);
    // With those that modules add to `doctor`.
    const context = { ...connections, flags: { ...connections.flags, ...flags } };
    const names = [...(module.needs ?? []), module.name].join(',');
    await using opened = await openModules(await loadModules(names), context);
    const namespace = flags.namespace ?? (module.diagnosesClusterScope ? undefined : connections.namespace);
    const diagnosis = await diagnose(opened.modules, {
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(flags.as === undefined ? {} : { user: flags.as }),
      ...(flags.all === true ? { all: true } : {}),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const style = styleFor(host.stdout, host.env);
    print(printed(flags.output, diagnosis, (shown) => formatDiagnosis(shown, style)));
    return diagnosis.healthy ? doctorExitCodes.healthy : doctorExitCodes.unhealthy;
  });
}

const known: readonly Module<StartFlags>[] = modules;

const kindsOf = (isIncluded: (module: Module<StartFlags>) => boolean) =>
  known.filter(isIncluded).flatMap((module) => (module.diagnosed ?? []).map((kind) => ({ module, kind })));

/** Of a resource without a kind. */
const defaultModule: Module<StartFlags> = inventoryModule;

interface Resource {
  readonly module: Module<StartFlags>;
  readonly kind: string;
  readonly name: string;
}

/** `NAME`, or `KIND/NAME` as kubectl has it: the kind singular or plural, with or without its group. */
function parseResource(text: string, all: boolean): Resource {
  if (all) {
    const found = kindsOf(({ diagnosesAll }) => diagnosesAll === true).find(({ kind }) =>
      [kind, `${kind}s`].includes(text.toLowerCase()),
    );
    if (found !== undefined) return { ...found, name: '' };
    throw new ProviderError('terminal', `cannot check all of ${text}: there is no such check`);
  }
  const at = text.indexOf('/');
  const kinds = kindsOf(() => true);
  const given = text.slice(0, Math.max(at, 0)).split('.', 1).join().toLowerCase();
  const found = kinds.find(({ module, kind }) =>
    at < 0 ? module === defaultModule : [kind, `${kind}s`].includes(given),
  );
  if (found === undefined) {
    const names = kinds.map(({ kind }) => kind).join(', ');
    throw new ProviderError('terminal', `cannot check ${text}: its kind must be one of ${names}`);
  }
  const name = text.slice(at + 1);
  if (name === '' || name.includes('/'))
    throw new ProviderError('terminal', `cannot check ${text}: want NAME or KIND/NAME`);
  return { ...found, name };
}

/** Calls `diagnose` of the module that supports it. */
function diagnose(modules: readonly OpenModule[], question: DiagnosisQuestion): Promise<Diagnosis> {
  for (const module of modules) if (module.diagnose !== undefined) return module.diagnose(question);
  throw new ProviderError('bug', 'no module can diagnose a resource');
}
