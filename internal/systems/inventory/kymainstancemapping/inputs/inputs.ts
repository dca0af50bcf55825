/**
 * Reads the input objects of a KymaInstanceMapping: ServiceInstance, ServiceBinding with its Secret, and the ConfigMap
 * with the cluster ID. The three chains are read concurrently, and all problems are reported together.
 */
import type { WatchedObject } from '../../../../framework/base/errors/errors.ts';
import { stringAt, valueAt } from '../../../../framework/base/json/json-field.ts';
import { redact } from '../../../../framework/base/text/redact.ts';
import { cutText, singleSpaced } from '../../../../framework/base/text/text.ts';
import { versionOf } from '../../../../framework/kube/client/polled-reads.ts';
import {
  type ConfigMap,
  type KubeObject,
  keyString,
  type Secret,
} from '../../../../framework/kube/object/object.ts';
import { configMaps, secrets } from '../../../../framework/kube/object/resource-type.ts';
import { decodedData } from '../../../../framework/kube/object/secret-data.ts';
import type { KnownCredentials } from '../../hana-cloud/client.ts';
import { type AdminCredentials, parseAdminCredentials } from '../../hana-cloud/credentials.ts';
import type { Finding, Problem } from '../../input/finding.ts';
import { findingOf, type InputCluster, readInput } from '../../input/read-input.ts';
import { serviceBindings, serviceInstances } from './btp-operator-types.ts';
import type { KnownSecrets } from './known-credentials.ts';
import { idAt, nameAt, type TextRead } from './text-fields.ts';

/** The ConfigMap with the cluster ID that the SAP BTP service operator has on a Kyma cluster. */
const operatorConfigMap: Ref = { namespace: 'kyma-system', name: 'sap-btp-operator-config' };

/** The default of `clusterIdConfigMapRef`. */
export const defaultClusterIdConfigMap = ({ clusterIdConfigMap }: InputCluster): Ref =>
  clusterIdConfigMap ?? operatorConfigMap;
const clusterIdKey = 'CLUSTER_ID';

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
  /** Instead of credentials, for a Secret whose version is known. */
  readonly known?: KnownCredentials;
  /** Keeps what the Secret that was read is known by. */
  readonly remember?: (known: KnownCredentials) => void;
}

export interface ReadOptions {
  /** Default: each read is of the content. */
  readonly knownSecrets?: KnownSecrets;
  /** A version that is known replaces the content. Default false. */
  readonly isPoll?: boolean;
}

type CredentialsPart = Pick<Inputs, 'credentials' | 'known' | 'remember'>;

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
  options: ReadOptions = {},
): Promise<Inputs> {
  const [instance, access, clusterID] = await Promise.all([
    readInstance(cluster, refs.serviceInstanceRef, signal),
    readCredentials(cluster, refs.adminBindingRef, signal, options),
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
  const finding = (problems: Problem[]) => findingOf(serviceInstances, key, cluster, problems, read);
  if ('problem' in read) return { part: {}, findings: [finding([read.problem])] };
  const problems: Problem[] = [];
  const field = 'status.instanceID';
  const place = {
    path: ['status', 'instanceID'],
    field,
    label: field,
    absent: `has no ${field} yet`,
  };
  const id = idAt(read.object, place);
  if ('problem' in id) problems.push(id.problem);
  const readiness = readinessOf(read.object);
  if (!readiness.ready) {
    problems.push({
      kind: 'not-ready',
      text: `is not ready${readiness.why}`,
      field: 'status.conditions',
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
  ref: Ref,
  signal: AbortSignal,
  options: ReadOptions = {},
): Promise<Chain<CredentialsPart>> {
  const read = await readBinding(cluster, ref, signal);
  const bindingFinding = (problems: Problem[]) => findingOf(serviceBindings, ref, cluster, problems, read);
  if ('problem' in read) return { part: {}, findings: [bindingFinding([read.problem])] };
  const { secretName } = read.binding;
  if ('problem' in secretName) return { part: {}, findings: [bindingFinding([secretName.problem])] };
  const key = { namespace: ref.namespace, name: secretName.value };
  const secret =
    (await knownSecret(cluster, key, read.binding, options, signal)) ??
    (await readBindingSecret(cluster, key, read.binding, options, signal));
  return { part: secret.part, findings: [bindingFinding([]), ...secret.findings] };
}

/** Undefined: its content must be read. */
async function knownSecret(
  cluster: InputCluster,
  key: Ref,
  binding: Binding,
  { knownSecrets, isPoll = false }: ReadOptions,
  signal: AbortSignal,
): Promise<Chain<CredentialsPart> | undefined> {
  if (!isPoll || knownSecrets === undefined) return undefined;
  const version = await cluster.polledReads.versionOf(secrets, key, signal);
  const known = version && knownSecrets.find(cluster, key, version);
  if (version === undefined || known === undefined) return undefined;
  const target = cluster.objectWatcher.target(secrets, key, version.resourceVersion);
  const finding = findingOf(secrets, key, cluster, [], { target });
  return { part: { known }, findings: [{ ...finding, object: objectOf(key, binding) }] };
}

/** Named after the binding, to which the resource refers. */
const objectOf = (key: Ref, { name }: Binding): string =>
  `ServiceBinding ${keyString({ namespace: key.namespace, name })}: secret ${keyString(key)}`;

interface Binding {
  readonly name: string;
  readonly secretName: TextRead;
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
  const field = 'spec.secretName';
  const place = { path: ['spec', 'secretName'], field, label: field };
  const secretName = nameAt(object, place, key.name);
  return { target, binding: { name: key.name, secretName, ...readinessOf(object) } };
}

async function readBindingSecret(
  cluster: InputCluster,
  key: Ref,
  binding: Binding,
  { knownSecrets }: ReadOptions,
  signal: AbortSignal,
): Promise<Chain<CredentialsPart>> {
  const read = await readInput<Secret>(cluster, secrets, key, signal);
  const object = objectOf(key, binding);
  const finding = (problems: readonly Problem[]): Finding => ({
    ...findingOf(secrets, key, cluster, problems, read),
    object,
  });
  if ('problem' in read) {
    const { ready, why } = binding;
    if (read.problem.kind !== 'missing' || ready) return { part: {}, findings: [finding([read.problem])] };
    const text = `${read.problem.text} (the binding is not ready${why})`;
    return { part: {}, findings: [finding([{ ...read.problem, kind: 'not-ready', text }])] };
  }
  const parsed = parseAdminCredentials(decodedData(read.object), `Secret ${keyString(key)}`);
  if ('credentials' in parsed) {
    const version = versionOf(read.object);
    const remember = (known: KnownCredentials) => knownSecrets?.note(cluster, key, version, known);
    return { part: { credentials: parsed.credentials, remember }, findings: [finding([])] };
  }
  return { part: {}, findings: [finding(parsed.problems)] };
}

/** Reads the ID of the cluster. */
export async function readClusterID(
  cluster: InputCluster,
  ref: Ref | undefined,
  signal: AbortSignal,
): Promise<Chain<Pick<Inputs, 'clusterID'>>> {
  const key = ref ?? defaultClusterIdConfigMap(cluster);
  const read = await readInput<ConfigMap>(cluster, configMaps, key, signal);
  const finding = (problems: Problem[]) => findingOf(configMaps, key, cluster, problems, read);
  if ('problem' in read) return { part: {}, findings: [finding([read.problem])] };
  const label = `key ${clusterIdKey}`;
  const place = {
    path: ['data', clusterIdKey],
    field: clusterIdKey,
    label,
    absent: `has no ${label}`,
  };
  const id = idAt(read.object, place);
  if ('problem' in id) return { part: {}, findings: [finding([id.problem])] };
  return { part: { clusterID: id.value }, findings: [finding([])] };
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
