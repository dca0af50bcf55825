import { InvalidConfigurationError, messageOf } from '../../../../framework/base/errors/errors.ts';
import { parseBoundedJson } from '../../../../framework/base/json/bounded-json.ts';
import { isObject, ownMember } from '../../../../framework/base/json/json-field.ts';
import type { ClusterComponent, ClusterRequest } from '../../components/index.ts';

/** What the state of a cluster says. */
export type StatedRequest = Pick<ClusterRequest, 'version' | 'profile' | 'components' | 'metadata'> & {
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
export function parseClusterState(text: string): StatedRequest {
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
    components: components.map((each, index) => componentIn(each, `configuration.components[${index}]`)),
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

function componentIn(value: unknown, path: string): ClusterComponent {
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
