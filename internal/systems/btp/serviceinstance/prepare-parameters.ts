import { jsonEqual } from '../../../framework/base/index.ts';
import { setStatus } from '../operations/run.ts';
import { fingerprint } from '../parameters/go-json.ts';
import { readParameters, versionsOf } from '../parameters/read-parameters.ts';
import type { Parameters } from '../service-manager/index.ts';
import { isReady } from '../status/conditions.ts';
import { addWatcher, withSecretRefs } from '../watched-secrets/watch-marks.ts';
import { patchMarks, unwatchSecrets } from '../watched-secrets/watched-secrets.ts';
import { isAccepted } from './decisions.ts';
import type { InstanceRun } from './instance-run.ts';
import type { ServiceInstance } from './resource.ts';

/** Parameters to send. */
export interface PreparedParameters {
  readonly parameters: Parameters | undefined;
  readonly fingerprint: string;
  /** Of the watched Secrets; undefined: none are watched. */
  readonly version: string | undefined;
  /** Whether they differ from those that Service Manager accepted last, as far as Secrets are watched. */
  readonly changed: boolean;
}

export const watchesParameters = ({ spec }: ServiceInstance): boolean =>
  spec.watchParametersFromChanges === true;

/**
 * Reads the parameters, and brings the marks up to date by which their Secrets are watched.
 *
 * @throws ParametersError
 */
export async function prepareParameters(run: InstanceRun): Promise<PreparedParameters> {
  const { object: instance, context } = run;
  const { parameters, secrets } = await readParameters(instance, { ...run, ...context });
  const watched = watchesParameters(instance) ? secrets : [];
  const marked = await Promise.all(
    watched.map(async (secret) => {
      const patch = addWatcher(secret, instance.metadata.uid ?? '');
      return patchMarks(context.client, secret, patch, context.signal);
    }),
  );
  const names = watched.map(({ metadata }) => metadata.name);
  await unwatchSecrets(instance, names, context);
  await labelInstance(run, names);
  const version = marked.length === 0 ? undefined : versionsOf(marked);
  const found = fingerprint(parameters ?? null);
  const changed = isChanged(run, found, version);
  const prepared = { parameters, fingerprint: found, version, changed };
  // After a change of metadata only, and before a create, so that a change during the create is noticed. Not before an update: a refused
  // edit leaves Service Manager what it had.
  if (!changed && (!isReady(instance) || isAccepted(instance))) acceptParameters(run, prepared);
  return prepared;
}

/** Records in memory what Service Manager has. The next write of the status stores it. */
export function acceptParameters(
  { object: instance, context }: InstanceRun,
  { fingerprint, version }: PreparedParameters,
): void {
  const memory = context.memory.get();
  const replaced = { fingerprint: memory?.fingerprint, version: instance.status?.parametersVersion };
  context.memory.set({ ...memory, fingerprint, replaced });
  setStatus(instance, { parametersVersion: version });
}

/** Records in memory that Service Manager has the parameters of before. If these are not known any more, they count as others. */
export function withdrawParameters({ object: instance, context }: InstanceRun): void {
  const { replaced, fingerprint: _, ...memory } = context.memory.get() ?? {};
  context.memory.set({ ...memory, ...(replaced?.fingerprint ? { fingerprint: replaced.fingerprint } : {}) });
  const isWatched = instance.status?.parametersVersion !== undefined;
  if (isWatched) setStatus(instance, { parametersVersion: replaced?.version ?? '' });
}

/** By content within this process. After a restart by the versions of the Secrets, which change with metadata as well. */
function isChanged(
  { object: instance, context }: InstanceRun,
  fingerprint: string,
  version: string | undefined,
): boolean {
  if (version === undefined) return false;
  const known = context.memory.get();
  if (known?.fingerprint !== undefined) return known.fingerprint !== fingerprint;
  const stored = instance.status?.parametersVersion;
  return stored !== undefined && stored !== version;
}

async function labelInstance(
  { object: instance, copy, context }: InstanceRun,
  names: readonly string[],
): Promise<void> {
  const labels = withSecretRefs(instance.metadata.labels, names);
  if (jsonEqual(labels, instance.metadata.labels ?? {})) return;
  instance.metadata.labels = labels;
  await copy.put(context.signal);
}
