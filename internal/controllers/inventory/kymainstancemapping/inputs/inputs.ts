/**
 * The extraction: everything the mapping call needs lies in objects that others own. The three chains (instance,
 * binding with its Secret, cluster ID) are read at the same time and afresh on each reconcile, and all that is
 * missing is reported together. Rule: hana-inventory, Connect.
 */
import type { WaitTarget } from '../../../../base/errors/errors.ts';
import { type Field, stringAt, valueAt } from '../../../../base/json/json-field.ts';
import { redact } from '../../../../base/text/redact.ts';
import { kubectlArguments, objectArguments, shellCommand } from '../../../../base/text/shell.ts';
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
import type { Finding, Problem } from '../../input/finding.ts';
import { findingOf, type InputCluster, readInput } from '../../input/read-input.ts';
import { decodedData } from '../../input/secret-data.ts';
import { serviceBindings, serviceInstances } from './btp-operator-types.ts';

/** Where the SAP BTP service operator keeps the cluster's ID, unless `clusterIdConfigMapRef` says otherwise. */
export const defaultClusterIdConfigMap: ObjectKey & { readonly namespace: string } = {
  namespace: 'kyma-system',
  name: 'sap-btp-operator-config',
};
const clusterIdKey = 'CLUSTER_ID';

/** No name of Kubernetes and no ID of SAP BTP takes more characters. */
const MAX_ID_LENGTH = 253;
/** Of what a condition of a source tells, in characters. */
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

/** The four sources as found. A part is absent exactly where its findings name a problem. */
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

/** Reads what identifies the mapping and what gives access to it. */
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

/** Reads the credentials alone: all a deletion needs, whatever became of instance and cluster ID. */
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
  const type = 'serviceinstances.services.cloud.sap.com';
  const mend = shellCommand(
    ...kubectlArguments(key.namespace),
    'describe',
    ...objectArguments(type, key.name),
  );
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

/** What is needed of a ServiceBinding. */
interface Binding {
  readonly name: string;
  readonly secretName: Field<string>;
  readonly ready: boolean;
  readonly why: string;
}

/** Not the object itself, which a cluster that is slow to answer for the Secret would keep in memory. */
async function readBinding(
  cluster: InputCluster,
  key: Ref,
  signal: AbortSignal,
): Promise<
  { readonly target: WaitTarget } & ({ readonly problem: Problem } | { readonly binding: Binding })
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
  // Named through its binding, which is what the resource refers to.
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

/** Reads which cluster this is. */
export async function readClusterID(
  cluster: InputCluster,
  key: Ref = defaultClusterIdConfigMap,
  signal: AbortSignal,
): Promise<Chain<Pick<Inputs, 'clusterID'>>> {
  const read = await readInput<ConfigMap>(cluster, configMaps, key, signal);
  const finding = (problems: Problem[]) => findingOf('ConfigMap', configMaps, key, cluster, problems, read);
  if ('problem' in read) return { part: {}, findings: [finding([read.problem])] };
  const object = objectArguments('configmap', key.name);
  const mend = shellCommand(...kubectlArguments(key.namespace), 'get', ...object, '-o', 'yaml');
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

/** The binding is what its owner can change; the Secret is written by the operator. */
export const showBinding = ({ namespace, name }: Ref): string => {
  const object = objectArguments('servicebindings.services.cloud.sap.com', name);
  return shellCommand(...kubectlArguments(namespace), 'get', ...object, '-o', 'yaml');
};

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
