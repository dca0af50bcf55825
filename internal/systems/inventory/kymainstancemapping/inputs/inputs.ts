/**
 * Reads the input objects of a KymaInstanceMapping: ServiceInstance, ServiceBinding with its Secret, and the ConfigMap
 * with the cluster ID. The three chains are read concurrently, and all problems are reported together.
 */

import { serviceBindings as generatedBindings } from '../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances as generatedInstances } from '../../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { cutText, redact, valueAt } from '../../../../framework/base/index.ts';
import { stringAt } from '../../../../framework/base/json/json-value.ts';
import { singleSpaced } from '../../../../framework/base/text/text.ts';
import { versionOf } from '../../../../framework/kube/client/shared-reads.ts';
import {
  type ConfigMap,
  configMaps,
  decodedData,
  type KubeObject,
  keyString,
  type ResourceType,
  type Secret,
  secrets,
} from '../../../../framework/kube/index.ts';
import { isObjectName } from '../../../../framework/kube/object/object.ts';
import type { KnownCredentials } from '../../hana-cloud/client.ts';
import { type AdminCredentials, parseAdminCredentials } from '../../hana-cloud/credentials.ts';
import {
  type Finding,
  findingOf,
  type InputCluster,
  type Problem,
  readInput,
} from '../../input/read-input.ts';
import type { KnownInputs, KnownValues } from './known-inputs.ts';

/**
 * Kinds of the SAP BTP service operator, without the types of their fields: a remote cluster may have another version of
 * the operator, so each field is checked.
 */
export const serviceInstances: ResourceType = generatedInstances;
export const serviceBindings: ResourceType = generatedBindings;

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

interface InstanceInput {
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

interface ReadOptions {
  /** Default: each read is of the content, and nothing is kept. */
  readonly known?: KnownInputs;
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
    readInstance(cluster, refs.serviceInstanceRef, signal, options),
    readCredentials(cluster, refs.adminBindingRef, signal, options),
    readClusterID(cluster, refs.clusterIdConfigMapRef, signal, options),
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

/** What is known of the object of a poll, if it still has the version of which it is known. */
async function knownValue<V>(
  values: KnownValues<V> | undefined,
  cluster: InputCluster,
  type: ResourceType,
  key: Ref,
  { isPoll = false }: ReadOptions,
  signal: AbortSignal,
): Promise<{ readonly value: V; readonly finding: Finding } | undefined> {
  if (!isPoll || values?.has(cluster, key) !== true) return undefined;
  const version = await cluster.polledReads.versionOf(type, key, signal);
  const value = version && values.find(cluster, key, version);
  if (version === undefined || value === undefined) return undefined;
  const target = cluster.objectWatcher.target(type, key, version.resourceVersion);
  return { value, finding: findingOf(type, key, cluster, [], { target }) };
}

async function readInstance(
  cluster: InputCluster,
  key: Ref,
  signal: AbortSignal,
  options: ReadOptions,
): Promise<Chain<Pick<Inputs, 'instance'>>> {
  const values = options.known?.instanceIDs;
  const known = await knownValue(values, cluster, serviceInstances, key, options, signal);
  if (known !== undefined) {
    const instance = { name: key.name, ready: true, id: known.value };
    return { part: { instance }, findings: [known.finding] };
  }
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
  if ('value' in id && readiness.ready) values?.note(cluster, key, versionOf(read.object), id.value);
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
  const read = await readBinding(cluster, ref, signal, options);
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
  options: ReadOptions,
  signal: AbortSignal,
): Promise<Chain<CredentialsPart> | undefined> {
  const known = await knownValue(options.known?.access, cluster, secrets, key, options, signal);
  if (known === undefined) return undefined;
  const finding = { ...known.finding, object: objectOf(key, binding) };
  return { part: { known: known.value }, findings: [finding] };
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
  options: ReadOptions,
): Promise<Pick<Finding, 'target'> & ({ readonly problem: Problem } | { readonly binding: Binding })> {
  const values = options.known?.secretNames;
  const known = await knownValue(values, cluster, serviceBindings, key, options, signal);
  if (known !== undefined) {
    const binding = { name: key.name, secretName: { value: known.value }, ready: true, why: '' };
    return { ...known.finding, binding };
  }
  const read = await readInput(cluster, serviceBindings, key, signal);
  if ('problem' in read) return read;
  const { object, target } = read;
  const field = 'spec.secretName';
  const place = { path: ['spec', 'secretName'], field, label: field };
  const secretName = nameAt(object, place, key.name);
  const readiness = readinessOf(object);
  if ('value' in secretName && readiness.ready)
    values?.note(cluster, key, versionOf(object), secretName.value);
  return { target, binding: { name: key.name, secretName, ...readiness } };
}

async function readBindingSecret(
  cluster: InputCluster,
  key: Ref,
  binding: Binding,
  { known: inputs }: ReadOptions,
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
    const remember = (known: KnownCredentials) => inputs?.access.note(cluster, key, version, known);
    return { part: { credentials: parsed.credentials, remember }, findings: [finding([])] };
  }
  return { part: {}, findings: [finding(parsed.problems)] };
}

/** Reads the ID of the cluster. */
export async function readClusterID(
  cluster: InputCluster,
  ref: Ref | undefined,
  signal: AbortSignal,
  options: ReadOptions = {},
): Promise<Chain<Pick<Inputs, 'clusterID'>>> {
  const key = ref ?? defaultClusterIdConfigMap(cluster);
  const values = options.known?.clusterIDs;
  const known = await knownValue(values, cluster, configMaps, key, options, signal);
  if (known !== undefined) return { part: { clusterID: known.value }, findings: [known.finding] };
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
  values?.note(cluster, key, versionOf(read.object), id.value);
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

/** A field of an input object. */
export interface FieldPlace extends Required<Pick<Problem, 'field'>> {
  readonly path: readonly string[];
  /** The field in messages: `key CLUSTER_ID`. */
  readonly label: string;
}

type TextRead = { readonly value: string } | { readonly problem: Problem };

/** The limit of Kubernetes names, in characters; IDs of SAP BTP are shorter. */
const MAX_LENGTH = 253;

/** White space, and all that is not visible: control characters, marks of direction, half a character. */
const INVISIBLE = /[\s\p{C}]/u;

/**
 * An ID, without white space around it. It becomes a part of requests, of the external name and of columns of kubectl.
 *
 * @param place `absent` is the text of the problem without the field
 */
export function idAt(object: KubeObject, place: FieldPlace & { readonly absent: string }): TextRead {
  const read = readTextAt(object, place);
  if (read === undefined) return problemWith(place, 'incomplete', place.absent);
  if ('problem' in read) return read;
  const value = read.value.trim();
  if (value === '') return problemWith(place, 'incomplete', `has an empty ${place.label}`);
  if (INVISIBLE.test(value)) {
    return malformed(place, 'that holds white space or invisible characters, so it is no ID');
  }
  return { value };
}

/** The name of a Secret; `fallback` if the field is absent or empty. */
export function nameAt(object: KubeObject, place: FieldPlace, fallback: string): TextRead {
  const read = readTextAt(object, place) ?? { value: '' };
  if ('problem' in read) return read;
  if (read.value === '') return { value: fallback };
  return isObjectName(read.value) ? read : malformed(place, 'that is not the name of a Secret');
}

/** Undefined if the field is absent. */
function readTextAt(object: KubeObject, place: FieldPlace): TextRead | undefined {
  const field = stringAt(object, place.path);
  switch (field.state) {
    case 'absent':
      return undefined;
    case 'wrong-type':
      return malformed(place, `that is not a string but ${article(field.found)}`);
    case 'ok':
      return field.value.length > MAX_LENGTH
        ? malformed(place, `of more than ${MAX_LENGTH} characters, so it is no ID and no name`)
        : { value: field.value };
  }
}

const malformed = (place: FieldPlace, why: string) =>
  problemWith(place, 'malformed', `has a ${place.label} ${why}`);

function problemWith({ field }: FieldPlace, kind: Problem['kind'], text: string): TextRead {
  return { problem: { kind, text, field } };
}

const article = (noun: string) => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`);
