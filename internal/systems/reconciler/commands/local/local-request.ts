import { join } from 'node:path';
import {
  type ConfigurationNode,
  readConfigurationFile,
} from '../../../../framework/base/configuration/configuration.ts';
import {
  InvalidConfigurationError,
  isObject,
  mask,
  messageOf,
  ownMember,
  parseBoundedJson,
} from '../../../../framework/base/index.ts';
import { selfContainedKubeconfig } from '../../../../framework/kube/config/kubeconfig-file.ts';
import { readText } from '../../../../framework/module/commands/read-text.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { parseSetValues } from '../../../../templates/helm/index.ts';
import { mergedValues, nestedValues, type Values } from '../../components/charts/rendering/values.ts';
import type { ClusterComponent, ClusterRequest } from '../../components/index.ts';
import type { ComponentParts } from '../../components/model/component.ts';
import type { LocalFlags } from './local-flags.ts';

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
  return selfContainedKubeconfig(kubeconfig);
}

/** What the state of a cluster says. */
type StatedRequest = Pick<ClusterRequest, 'version' | 'profile' | 'components' | 'metadata'> & {
  /** Empty if it has none: what the mothership shows never has one. */
  readonly kubeconfig: string;
  readonly isDeletion: boolean;
};

const MAX_LENGTH = 4 * 1024 * 1024;

/**
 * Reads the state of a cluster, as `GET /v1/clusters/state` answers.
 *
 * @throws InvalidConfigurationError
 */
function parseClusterState(text: string): StatedRequest {
  const root = at(parse(text), 'the state');
  const cluster = at(root.cluster, 'cluster');
  const configuration = at(root.configuration, 'configuration');
  const status = at(root.status ?? {}, 'status');
  const components = configuration.components ?? [];
  if (!Array.isArray(components)) throw invalid('configuration.components: want a list');
  return {
    kubeconfig: textIn(cluster, 'kubeconfig'),
    version: textIn(configuration, 'kymaVersion'),
    profile: textIn(configuration, 'kymaProfile'),
    components: components.map((each, index) => statedComponent(each, `configuration.components[${index}]`)),
    metadata: Object.fromEntries(
      Object.entries(at(cluster.metadata ?? {}, 'cluster.metadata')).filter(
        ([, value]) => typeof value === 'string',
      ),
    ),
    isDeletion: ['delete_pending', 'deleting', 'delete_error', 'delete_error_retryable'].includes(
      textIn(status, 'status'),
    ),
  };
}

function statedComponent(value: unknown, path: string): ClusterComponent {
  const component = at(value, path);
  const entries = component.configuration ?? [];
  if (!Array.isArray(entries)) throw invalid(`${path}.configuration: want a list`);
  const name = textIn(component, 'component');
  if (name === '') throw invalid(`${path}.component: it is missing`);
  return {
    component: name,
    namespace: textIn(component, 'namespace'),
    url: textIn(component, 'URL'),
    version: textIn(component, 'version'),
    configuration: Object.fromEntries(
      entries.map((each, index) => {
        const entry = at(each, `${path}.configuration[${index}]`);
        if (entry.secret === true && entry.value === mask) {
          throw invalid(
            `${path}.configuration[${index}]: its value is masked, as clusters get prints it: use GET /v1/clusters/state`,
          );
        }
        return [textIn(entry, 'key'), entry.value];
      }),
    ),
  };
}

function parse(text: string): unknown {
  try {
    return parseBoundedJson(text, { maxLength: MAX_LENGTH, maxDepth: 64 });
  } catch (error) {
    throw invalid(messageOf(error));
  }
}

function at(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw invalid(`${path}: want an object`);
}

function textIn(object: Readonly<Record<string, unknown>>, name: string): string {
  const value = ownMember(object, name) ?? '';
  return typeof value === 'string' ? value : '';
}

const invalid = (problem: string): InvalidConfigurationError =>
  new InvalidConfigurationError(`cannot use --cluster: ${problem}`);

/** The values of `--value`, as `helm --set` reads them; later ones win. @throws InvalidConfigurationError */
function setValues(assignments: readonly string[]): Values {
  try {
    return parseSetValues(assignments);
  } catch (cause) {
    throw new InvalidConfigurationError(`cannot use --value: ${messageOf(cause)}`, { cause });
  }
}

/** Values for all components. */
const GLOBAL = 'global';

/**
 * Components with values over those they have: `global` for each, else by component.
 *
 * @throws InvalidConfigurationError for the values of a component that is not there
 */
function withValues(components: readonly ClusterComponent[], values: Values): readonly ClusterComponent[] {
  for (const [name, value] of Object.entries(values)) {
    const isKnown = name === GLOBAL || components.some(({ component }) => component === name);
    if (!isKnown) throw new InvalidConfigurationError(`cannot use --value: there is no component ${name}`);
    if (!isObject(value))
      throw new InvalidConfigurationError(`cannot use --value: want ${name}.<name>=<value>`);
  }
  const { global } = values;
  return components.map((component) => {
    const own = values[component.component];
    const before = nestedValues(component.configuration ?? {});
    const shared = global === undefined ? before : mergedValues(before, { global });
    return { ...component, configuration: isObject(own) ? mergedValues(shared, own) : shared };
  });
}

/** The components of a version, with those that come first. */
interface ComponentList {
  readonly components: readonly ClusterComponent[];
  /** One group for each. */
  readonly preComponents: readonly (readonly string[])[];
}

/** @throws ConfigurationError with file and line */
async function readComponentList(path: string): Promise<ComponentList> {
  const root = await readConfigurationFile(path);
  const namespace = root.member('defaultNamespace').text();
  const read = (name: string) =>
    root
      .member(name)
      .items()
      .map((node) => componentIn(node, namespace));
  const prerequisites = read('prerequisites');
  return {
    components: [...prerequisites, ...read('components')],
    preComponents: prerequisites.map(({ component }) => [component]),
  };
}

const componentIn = (node: ConfigurationNode, namespace: string): ClusterComponent => ({
  component: node.member('name').requiredText(),
  namespace: node.member('namespace').text() || namespace,
  url: node.member('url').text(),
  version: node.member('version').scalarText(),
});

const FIELDS = ['name', 'namespace', 'url', 'version'] as const;

/** A component of the command line: its name, or an object with its fields, as JSON or `{name,namespace,url,version}`. */
function parseComponent(text: string): ClusterComponent {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return { component: required(trimmed, text) };
  const fields = jsonIn(trimmed) ?? listIn(trimmed);
  const { name = '', namespace = '', url = '', version = '' } = fields;
  return { component: required(name, text), namespace, url, version };
}

type Fields = Partial<Record<(typeof FIELDS)[number], string>>;

function jsonIn(text: string): Fields | undefined {
  let value: unknown;
  try {
    value = parseBoundedJson(text, { maxLength: 4096, maxDepth: 2 });
  } catch {
    return undefined;
  }
  const entries = Object.entries(value as object);
  const isKnown = entries.every(
    ([name, field]) => FIELDS.some((known) => known === name) && typeof field === 'string',
  );
  return isKnown ? Object.fromEntries(entries) : undefined;
}

/** Fields in their order, which may be left out from the right. */
function listIn(text: string): Fields {
  const parts = text.replace(/^\{|\}$/g, '').split(',');
  if (!text.endsWith('}') || parts.length > FIELDS.length) throw unusable(text);
  return Object.fromEntries(parts.map((part, index) => [FIELDS[index], part.trim()]));
}

function required(name: string, text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return name;
  throw unusable(text);
}

const unusable = (text: string): InvalidConfigurationError =>
  new InvalidConfigurationError(
    `cannot use --components ${text}: want a name or {name,namespace,url,version}`,
  );
