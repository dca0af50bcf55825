/**
 * What a KymaCluster reads of a mothership, whose address its author may choose: answers have the types of the API's document, or are
 * errors. Commands show answers, and take more.
 */
import { isObject, valueAt } from '../../../framework/base/index.ts';

import { contractError } from '../../../framework/http/index.ts';

type Kind = 'text' | 'reason' | 'number' | 'texts' | 'objects';

/** Of names, versions and URLs, which conditions, the status and the connection Secret show. A reason is cut where it is shown. */
const MAX_TEXT = 4096;

/** Fields by path, of one answer. */
type Shape = Readonly<Record<string, Kind>>;

const STATE: Shape = {
  'cluster.version': 'number',
  'cluster.runtime.name': 'text',
  'configuration.version': 'number',
  'configuration.kymaVersion': 'text',
  'configuration.kymaProfile': 'text',
  'configuration.components': 'objects',
  'configuration.administrators': 'texts',
  'status.status': 'text',
};

const RESPONSE: Shape = {
  cluster: 'text',
  clusterVersion: 'number',
  configurationVersion: 'number',
  status: 'text',
  statusURL: 'text',
  failures: 'objects',
};

const FAILURE: Shape = { component: 'text', reason: 'reason' };

/** @throws ProviderError with the field, if a field that is used has another type */
export function assertClusterState(answer: unknown, route: string): void {
  assertShape(answer, STATE, route);
}

/** @throws ProviderError with the field, if a field that is used has another type */
export function assertClusterResponse(answer: unknown, route: string): void {
  assertShape(answer, RESPONSE, route);
  const failures = valueAt(answer, ['failures']);
  if (!Array.isArray(failures)) return;
  for (const failure of failures) assertShape(failure, FAILURE, route, 'failures[].');
}

function assertShape(answer: unknown, shape: Shape, route: string, prefix = ''): void {
  for (const [path, kind] of Object.entries(shape)) {
    if (isOf(kind, valueAt(answer, path.split('.')))) continue;
    throw contractError(route, `${prefix}${path} is not ${names[kind]}`);
  }
}

const names: Readonly<Record<Kind, string>> = {
  text: `a text of at most ${MAX_TEXT} characters`,
  reason: 'a text',
  number: 'a number',
  texts: 'a list of texts',
  objects: 'a list of objects',
};

function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && value.length <= MAX_TEXT;
    case 'reason':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'objects':
      return Array.isArray(value) && value.every(isObject);
    default:
      return kind satisfies never;
  }
}
