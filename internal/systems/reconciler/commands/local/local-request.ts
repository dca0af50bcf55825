import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidConfigurationError } from '../../../../framework/base/errors/errors.ts';
import { cannotRead, readText } from '../../../../framework/module/commands/read-text.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import type { ClusterRequest } from '../../components/index.ts';
import type { ComponentParts } from '../../components/model/parts.ts';
import { parseClusterState } from './cluster-state.ts';
import { type ComponentList, parseComponent, readComponentList } from './component-list.ts';
import type { LocalFlags } from './local-flags.ts';
import { setValues } from './set-values.ts';
import { withValues } from './with-values.ts';

const COMPONENTS_FILE = join('installation', 'resources', 'components.yaml');

/** What the flags ask for. @throws InvalidConfigurationError, ConfigurationError, SourceError */
export async function localRequest(
  flags: LocalFlags,
  parts: Pick<ComponentParts, 'versionFolder'>,
  host: Pick<ProcessLike, 'stdin'>,
  signal: AbortSignal,
): Promise<ClusterRequest> {
  const stated =
    flags.cluster === undefined ? undefined : parseClusterState(await readText(flags.cluster, host.stdin));
  // Before anything is fetched.
  const kubeconfig = stated?.kubeconfig || (await kubeconfigOf(flags));
  const version = stated?.version ?? flags.version;
  const { components, preComponents }: ComponentList =
    stated === undefined
      ? await componentList(flags, parts, signal)
      : { components: stated.components, preComponents: [] };
  return {
    kubeconfig,
    type: flags.delete || stated?.isDeletion ? 'delete' : 'reconcile',
    version,
    profile: stated?.profile ?? flags.profile,
    components: withValues(components, setValues(flags.value ?? [])),
    preComponents,
    ...(stated?.metadata === undefined ? {} : { metadata: stated.metadata }),
  };
}

async function componentList(
  { components, componentsFile, version }: LocalFlags,
  { versionFolder }: Pick<ComponentParts, 'versionFolder'>,
  signal: AbortSignal,
): Promise<ComponentList> {
  if (components !== undefined && componentsFile !== undefined) {
    throw new InvalidConfigurationError('give either --components or --components-file');
  }
  if (components !== undefined) return { components: components.map(parseComponent), preComponents: [] };
  return readComponentList(componentsFile ?? join(await versionFolder(version, signal), COMPONENTS_FILE));
}

async function kubeconfigOf({ kubeconfig }: LocalFlags): Promise<string> {
  if (kubeconfig === '') {
    throw new InvalidConfigurationError('no cluster is given: use --kubeconfig or the variable KUBECONFIG');
  }
  return readFile(kubeconfig, 'utf8').catch((error: unknown) => {
    throw cannotRead(kubeconfig, error);
  });
}
