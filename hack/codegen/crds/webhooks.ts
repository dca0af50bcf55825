/**
 * `apis/<group>/webhooks.yaml` states the admission webhooks of the kinds of a group. Rules, default paths and default
 * versions come from the sources of the kinds; `validatingWebhook` and `mutatingWebhook` of the framework serve the
 * same paths.
 */
import type { Kind } from '../source/kinds.ts';
import type { Form, Json, Service } from '../source/source.ts';
import {
  choiceOf,
  entriesOf,
  fail,
  listOf,
  type Place,
  parseStrict,
  recordOf,
  stringOf,
  stringsOf,
} from '../source/strict-yaml.ts';
import {
  clientConfig,
  integerOf,
  placeholderService,
  readPath,
  readReviewVersions,
  readService,
} from '../source/webhook-service.ts';
import { yamlDocuments } from './yaml-documents.ts';

interface Configuration {
  readonly kind: string;
  /** Prefix of default paths. */
  readonly verb: string;
  /** DELETE has no object that a mutating webhook could change. */
  readonly operations: readonly string[];
}

const mutatingConfiguration: Configuration = {
  kind: 'MutatingWebhookConfiguration',
  verb: 'mutate',
  operations: ['CREATE', 'UPDATE'],
};
const validatingConfiguration: Configuration = {
  kind: 'ValidatingWebhookConfiguration',
  verb: 'validate',
  operations: ['CREATE', 'UPDATE', 'DELETE'],
};

interface Context {
  /** Of webhooks that state none. */
  readonly group: string;
  readonly service: Service;
  readonly kinds: readonly Kind[];
}

/**
 * The webhook configurations of one source, and the path that it states for them. Throws SourceError.
 *
 * @param crds folder of the CRDs; the path is in its first folder
 */
export function webhookConfigurations(
  file: string,
  text: string,
  kinds: readonly Kind[],
  crds = 'package/crds',
): { readonly path: string; readonly yaml: string } {
  const root = parseStrict(file, text);
  const { name, output, service, mutating, validating } = recordOf(
    root,
    { name: stringOf, output: (at) => readOutput(at, crds.split('/', 1)[0] ?? '') },
    { service: readService, mutating: listOf, validating: listOf },
  );
  const context = { group: file.split('/').at(-2) ?? '', service: service ?? placeholderService, kinds };
  const objects = [
    ...configuration(mutatingConfiguration, name, mutating, context),
    ...configuration(validatingConfiguration, name, validating, context),
  ];
  if (objects.length === 0) fail(root, 'mutating or validating needs an entry');
  return { path: output, yaml: yamlDocuments(objects) };
}

function configuration(of: Configuration, name: string, places: Place[] = [], context: Context): Json[] {
  if (places.length === 0) return [];
  const names = new Set<string>();
  const webhooks = places.map((place) => {
    const webhook = readWebhook(place, of, context);
    if (names.has(webhook.name)) fail(place, `name: ${webhook.name} is stated twice`);
    names.add(webhook.name);
    return webhook;
  });
  return [{ apiVersion: 'admissionregistration.k8s.io/v1', kind: of.kind, metadata: { name }, webhooks }];
}

function readWebhook(place: Place, of: Configuration, context: Context) {
  const { name, kind, group, version, path, operations, ...fields } = recordOf(
    place,
    { name: readName, kind: stringOf, operations: (at) => readOperations(at, of.operations) },
    {
      group: stringOf,
      version: stringOf,
      path: readPath,
      failurePolicy: (at) => choiceOf(at, ['Fail', 'Ignore']),
      sideEffects: (at) => choiceOf(at, ['None', 'NoneOnDryRun']),
      matchPolicy: (at) => choiceOf(at, ['Equivalent', 'Exact']),
      timeoutSeconds: integerOf(1, 30),
      admissionReviewVersions: readReviewVersions,
      namespaceSelector: readSelector,
      objectSelector: readSelector,
    },
  );
  const target = findTarget(place, { kind, group: group ?? context.group, version }, context.kinds);
  const { form } = target;
  const parts = [of.verb, form.group.replaceAll('.', '-'), target.version, form.kind.toLowerCase()];
  const rule = {
    apiGroups: [form.group],
    apiVersions: [target.version],
    operations,
    resources: [form.plural],
    scope: form.scope,
  };
  return {
    name,
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfig(context.service, path ?? `/${parts.join('-')}`),
    rules: [rule],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    matchPolicy: 'Equivalent',
    timeoutSeconds: 10,
    ...fields,
  };
}

interface Wanted {
  readonly kind: string;
  readonly group: string;
  /** Default: the stored one. */
  readonly version: string | undefined;
}

function findTarget(place: Place, wanted: Wanted, kinds: readonly Kind[]): { form: Form; version: string } {
  for (const { stored, versions } of kinds) {
    const form = stored.forms.find(({ emit, kind, group }) => {
      return emit && kind === wanted.kind && group === wanted.group;
    });
    if (form === undefined) continue;
    const { version = stored.version } = wanted;
    const served = versions.filter((source) => source.served).map((source) => source.version);
    if (served.includes(version)) return { form, version };
    fail(place, `version: ${version} of ${form.kind} is not served; served: ${served.join(', ')}`);
  }
  return fail(place, `kind: the package has no ${wanted.kind} in the group ${wanted.group}`);
}

/** The API server refuses names of fewer than three labels. */
function readName(place: Place): string {
  const name = stringOf(place);
  if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?){2,}$/.test(name)) return name;
  return fail(place, 'must be a domain name of three or more labels, such as vbucket.shop.example.org');
}

function readOperations(place: Place, known: readonly string[]): string[] {
  const operations = listOf(place).map((item) => choiceOf(item, known));
  if (operations.length === 0) fail(place, 'must have an entry');
  if (new Set(operations).size < operations.length) fail(place, 'must not have an entry twice');
  return operations;
}

/** A label selector. */
function readSelector(place: Place) {
  const readLabels = (labels: Place) =>
    Object.fromEntries(entriesOf(labels).map(({ key, value }) => [key, stringOf(value)]));
  const readExpressions = (list: Place) => listOf(list).map(readExpression);
  return recordOf(place, {}, { matchLabels: readLabels, matchExpressions: readExpressions });
}

function readExpression(place: Place) {
  const expression = recordOf(
    place,
    { key: stringOf, operator: (at) => choiceOf(at, ['In', 'NotIn', 'Exists', 'DoesNotExist']) },
    { values: stringsOf },
  );
  const { operator, values = [] } = expression;
  const takesValues = operator === 'In' || operator === 'NotIn';
  if (takesValues !== values.length > 0) {
    fail(place, `values: ${operator} takes ${takesValues ? 'at least one' : 'none'}`);
  }
  return expression;
}

function readOutput(place: Place, top: string): string {
  const path = stringOf(place);
  const isFile = path.startsWith(top) && /^(\/[a-z0-9-]+)*\/[a-z0-9-]+\.yaml$/.test(path.slice(top.length));
  if (isFile && !path.includes('/crds/')) return path;
  return fail(place, `must be a file ${top}/….yaml outside of folders of CRDs`);
}
