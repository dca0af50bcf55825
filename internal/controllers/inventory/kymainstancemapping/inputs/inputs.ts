/**
 * Reads the input objects of a KymaInstanceMapping: ServiceInstance, ServiceBinding with its Secret, and the ConfigMap
 * with the cluster ID. The three chains are read concurrently, and all problems are reported together.
 */
import type { WatchedObject } from '../../../../base/errors/errors.ts';
import { type Field, stringAt, valueAt } from '../../../../base/json/json-field.ts';
import { redact } from '../../../../base/text/redact.ts';
import { objectCommand } from '../../../../base/text/shell.ts';
import { cutText, singleSpaced } from '../../../../base/text/text.ts';
import { type AdminCredentials, parseAdminCredentials } from '../../../../clients/hana-cloud/credentials.ts';
import {
  type ConfigMap,
  type KubeObject,
  keyString,
  type ObjectKey,
  type Secret,
} from '../../../../kube/object/object.ts';
import { configMaps, secrets } from '../../../../kube/object/resource-type.ts';
import { decodedData } from '../../../../kube/object/secret-data.ts';
import type { Finding, Problem } from '../../input/finding.ts';
import { findingOf, type InputCluster, readInput } from '../../input/read-input.ts';
import { serviceBindings, serviceInstances } from './btp-operator-types.ts';

/** The SAP BTP service operator's ConfigMap with the cluster ID; the default of `clusterIdConfigMapRef`. */
export const defaultClusterIdConfigMap: ObjectKey & { readonly namespace: string } = {
  namespace: 'kyma-system',
  name: 'sap-btp-operator-config',
};
const clusterIdKey = 'CLUSTER_ID';

/** The limit of Kubernetes names, in characters; IDs of SAP BTP are shorter. */
const MAX_ID_LENGTH = 253;
/** The limit for text that is quoted from conditions, in characters. */
const MAX_QUOTE = 200;

export interface Ref {
  readonly name: string;
  readonly namespace: string;
}

export interface InstanceInput {
  readonly id?: string;
  readonly name: string;
  readonly ready: boolean;
}

/** What the input objects contain. A part is absent if and only if its findings have a problem. */
export interface Inputs {
  readonly findings: readonly Finding[];
  readonly instance?: InstanceInput;
  readonly clusterID?: string;
  readonly credentials?: AdminCredentials;
}

export interface InputRefs {
  readonly serviceInstanceRef: Ref;
  readonly adminBindingRef: Ref;
  readonly clusterIdConfigMapRef?: Ref;
}

/** Reads all input objects. */
export async function readInputs(
  cluster: InputCluster,
  refs: InputRefs,
  signal: AbortSignal,
): Promise<Inputs> {
  const [instance, access, clusterID] = await Promise.all([
    readInstance(cluster, refs.serviceInstanceRef, signal),
    readCredentials(cluster, refs.adminBindingRef, signal),
    readClusterID(cluster, refs.clusterIdConfigMapRef, signal),
  ]);
  return {
    ...instance.part,
    ...access.part,
    ...clusterID.part,
    findings: [...instance.findings, ...access.findings, ...clusterID.findings],
  };
}

/** Reads only the credentials, for deletions. */
export async function readAccess(
  cluster: InputCluster,
  refs: Pick<InputRefs, 'adminBindingRef'>,
  signal: AbortSignal,
): Promise<Inputs> {
  const { part, findings } = await readCredentials(cluster, refs.adminBindingRef, signal);
  return { ...part, findings };
}

interface Chain<P> {
  readonly part: P;
  readonly findings: readonly Finding[];
}

async function readInstance(
  cluster: InputCluster,
  key: Ref,
  signal: AbortSignal,
): Promise<Chain<Pick<Inputs, 'instance'>>> {
  const read = await readInput(cluster, serviceInstances, key, signal);
  const finding = (problems: Problem[]) =>
    findingOf('ServiceInstance', serviceInstances, key, cluster, problems, read);
  if ('problem' in read) return { part: {}, findings: [finding([read.problem])] };
  const mend = objectCommand('describe', 'serviceinstances.services.cloud.sap.com', key);
  const problems: Problem[] = [];
  const id = nonEmpty(read.object, ['status', 'instanceID'], mend);
  if ('problem' in id) problems.push(id.problem);
  const readiness = readinessOf(read.object);
  if (!readiness.ready) {
    problems.push({
      kind: 'not-ready',
      text: `is not ready${readiness.why}`,
      field: 'status.conditions',
      mend,
    });
  }
  const instance = {
    name: key.name,
    ready: readiness.ready,
    ...('value' in id ? { id: id.value } : {}),
  };
  return { part: { instance }, findings: [finding(problems)] };
}

async function readCredentials(
  cluster: InputCluster,
  key: Ref,
  signal: AbortSignal,
): Promise<Chain<Pick<Inputs, 'credentials'>>> {
  const read = await readBinding(cluster, key, signal);
  const bindingFinding = (problems: Problem[]) =>
    findingOf('ServiceBinding', serviceBindings, key, cluster, problems, read);
  if ('problem' in read) return { part: {}, findings: [bindingFinding([read.problem])] };
  const { secretName } = read.binding;
  if (secretName.state === 'wrong-type') {
    const text = `has a spec.secretName that is not a string but ${article(secretName.found)}`;
    const field = 'spec.secretName';
    return {
      part: {},
      findings: [bindingFinding([{ kind: 'malformed', text, field, mend: showBinding(key) }])],
    };
  }
  if (secretName.state === 'ok' && secretName.value.length > MAX_ID_LENGTH) {
    const [field, text] = ['spec.secretName', `has a spec.secretName ${tooLong}`];
    return {
      part: {},
      findings: [bindingFinding([{ kind: 'malformed', text, field, mend: showBinding(key) }])],
    };
  }
  const name = secretName.state === 'ok' && secretName.value !== '' ? secretName.value : key.name;
  const secret = await readBindingSecret(cluster, { namespace: key.namespace, name }, read.binding, signal);
  return { part: secret.part, findings: [bindingFinding([]), ...secret.findings] };
}

interface Binding {
  readonly name: string;
  readonly secretName: Field<string>;
  readonly ready: boolean;
  readonly why: string;
}

/** Returns the needed fields, not the object, so that the object is not in memory while the Secret is read. */
async function readBinding(
  cluster: InputCluster,
  key: Ref,
  signal: AbortSignal,
): Promise<
  { readonly target: WatchedObject } & ({ readonly problem: Problem } | { readonly binding: Binding })
> {
  const read = await readInput(cluster, serviceBindings, key, signal);
  if ('problem' in read) return read;
  const { object, target } = read;
  const secretName = stringAt(object, ['spec', 'secretName']);
  return { target, binding: { name: key.name, secretName, ...readinessOf(object) } };
}

async function readBindingSecret(
  cluster: InputCluster,
  key: Ref,
  binding: Binding,
  signal: AbortSignal,
): Promise<Chain<Pick<Inputs, 'credentials'>>> {
  const read = await readInput<Secret>(cluster, secrets, key, signal);
  // Named after the binding, to which the resource refers.
  const bindingName = keyString({ namespace: key.namespace, name: binding.name });
  const object = `ServiceBinding ${bindingName}: secret ${keyString(key)}`;
  const finding = (problems: Problem[]): Finding => ({
    ...findingOf('Secret', secrets, key, cluster, problems, read),
    object,
  });
  if ('problem' in read) {
    const { ready, why } = binding;
    const hint = read.problem.kind === 'missing' && !ready ? ` (the binding is not ready${why})` : '';
    return { part: {}, findings: [finding([{ ...read.problem, text: read.problem.text + hint }])] };
  }
  const parsed = parseAdminCredentials(decodedData(read.object));
  if ('credentials' in parsed) return { part: { credentials: parsed.credentials }, findings: [finding([])] };
  const mend = showBinding({ namespace: key.namespace, name: binding.name });
  return { part: {}, findings: [finding(parsed.problems.map((problem) => ({ ...problem, mend })))] };
}

/** Reads the ID of the cluster. */
export async function readClusterID(
  cluster: InputCluster,
  key: Ref = defaultClusterIdConfigMap,
  signal: AbortSignal,
): Promise<Chain<Pick<Inputs, 'clusterID'>>> {
  const read = await readInput<ConfigMap>(cluster, configMaps, key, signal);
  const finding = (problems: Problem[]) => findingOf('ConfigMap', configMaps, key, cluster, problems, read);
  if ('problem' in read) return { part: {}, findings: [finding([read.problem])] };
  const mend = objectCommand('get', 'configmap', key, '-o', 'yaml');
  const value = stringAt(read.object, ['data', clusterIdKey]);
  const clusterID = value.state === 'ok' ? value.value.trim() : undefined;
  if (clusterID === undefined || clusterID === '') {
    const text = clusterID === undefined ? `has no key ${clusterIdKey}` : `has an empty key ${clusterIdKey}`;
    return { part: {}, findings: [finding([{ kind: 'incomplete', text, field: clusterIdKey, mend }])] };
  }
  if (clusterID.length > MAX_ID_LENGTH) {
    const text = `has a key ${clusterIdKey} ${tooLong}`;
    return { part: {}, findings: [finding([{ kind: 'malformed', text, field: clusterIdKey, mend }])] };
  }
  if (/\s/.test(clusterID)) {
    const text = `has a key ${clusterIdKey} that holds white space, so it is no cluster ID`;
    return { part: {}, findings: [finding([{ kind: 'malformed', text, field: clusterIdKey, mend }])] };
  }
  return { part: { clusterID }, findings: [finding([])] };
}

/** Shows the binding, not the Secret: the operator writes the Secret. */
export const showBinding = (key: Ref): string =>
  objectCommand('get', 'servicebindings.services.cloud.sap.com', key, '-o', 'yaml');

function nonEmpty(
  object: KubeObject,
  path: readonly string[],
  mend: string,
): { value: string } | { problem: Problem } {
  const at = path.join('.');
  const field = stringAt(object, path);
  switch (field.state) {
    case 'ok': {
      const value = field.value.trim();
      if (value === '')
        return { problem: { kind: 'incomplete', text: `has an empty ${at}`, field: at, mend } };
      return value.length > MAX_ID_LENGTH
        ? { problem: { kind: 'malformed', text: `has a ${at} ${tooLong}`, field: at, mend } }
        : { value };
    }
    case 'absent':
      return { problem: { kind: 'incomplete', text: `has no ${at} yet`, field: at, mend } };
    case 'wrong-type': {
      const text = `has a ${at} that is not a string but ${article(field.found)}`;
      return { problem: { kind: 'malformed', text, field: at, mend } };
    }
    default:
      return field satisfies never;
  }
}

/** Condition `Ready`, or the operator's older `status.ready`. `why` is ` (reason: message)` or empty. */
function readinessOf(object: KubeObject): { ready: boolean; why: string } {
  const conditions = valueAt(object, ['status', 'conditions']);
  const ready = Array.isArray(conditions)
    ? conditions.find((condition) => valueAt(condition, ['type']) === 'Ready')
    : undefined;
  if (ready === undefined) {
    const flag = valueAt(object, ['status', 'ready']);
    return { ready: flag === true || flag === 'True', why: '' };
  }
  const details = ['reason', 'message'].flatMap((key) => {
    const field = stringAt(ready, [key]);
    return field.state === 'ok' && field.value !== '' ? [cutText(field.value)] : [];
  });
  const why = details.length === 0 ? '' : ` (${singleSpaced(redact(details.join(': ')), MAX_QUOTE)})`;
  return { ready: valueAt(ready, ['status']) === 'True', why };
}

const tooLong = `of more than ${MAX_ID_LENGTH} characters, so it is no ID and no name`;
const article = (noun: string) => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`);
