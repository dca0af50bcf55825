/**
 * Checks the chain of a KymaInstanceMapping hop by hop and reports the status of each, the field at fault and a command
 * that fixes it. It calls the functions that Connect and Observe call, so that report and conditions agree.
 */

import { kindOf, messageOf } from '../../../../base/errors/errors.ts';
import { kubectlArguments, objectArguments, shellCommand } from '../../../../base/text/shell.ts';
import type { HanaCloud, HanaCloudClient } from '../../../../clients/hana-cloud/client.ts';
import {
  type AccessOptions,
  type AccessQuestion,
  canI,
  grantRule,
} from '../../../../kube/client/access-review.ts';
import type { KubeClient } from '../../../../kube/client/client.ts';
import { isForbidden, isUnknownKind } from '../../../../kube/errors/errors.ts';
import { keyOf, keyString, type ObjectKey } from '../../../../kube/object/object.ts';
import {
  configMaps,
  events,
  groupResource,
  type ResourceType,
  secrets,
} from '../../../../kube/object/resource-type.ts';
import type { Check, CheckStatus, Diagnosis } from '../../../module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../module/module.ts';
import { type Finding, isWaitedFor } from '../../input/finding.ts';
import type { MappingIdentity } from '../../mapping/identity/mapping-identity.ts';
import { decideIdentity } from '../../mapping/identity/recorded-identity.ts';
import { findMapping } from '../../mapping/mapping-lookup.ts';
import { isDefaultDiff, mappingMissing } from '../../mapping/messages.ts';
import { kymaNames } from '../external-names.ts';
import { serviceBindings, serviceInstances } from '../inputs/btp-operator-types.ts';
import { describedIdentity } from '../inputs/described-identity.ts';
import { clusterRefOf, namedInputs, readableInputs } from '../inputs/input-refs.ts';
import {
  defaultClusterIdConfigMap,
  type InputRefs,
  type Inputs,
  readInputs,
  showBinding,
} from '../inputs/inputs.ts';
import { acquireKymaCluster, type KymaCluster, type KymaClusters } from '../inputs/kyma-cluster.ts';
import { type KymaInstanceMapping, kymaInstanceMappingTypes } from '../resource.ts';
import { kymaMappingKind } from '../status.ts';
import { explainMissingKind } from './missing-kind.ts';

export interface DiagnoseOptions extends Omit<DiagnosisQuestion, 'kind'> {
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
}

export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis> {
  const checks: Check[] = [];
  for await (const check of follow(options)) checks.push(check);
  return {
    mapping: keyString(keyIn(options)),
    healthy: checks.every(({ status }) => status === 'ok' || status === 'warning'),
    checks,
  };
}

async function* follow(options: DiagnoseOptions): AsyncGenerator<Check> {
  const { clusters, hanaCloud, signal } = options;
  const access = { signal, ...(options.user === undefined ? {} : { user: options.user }) };
  const own = clusters.own.client;
  const key = keyIn(options);
  const type = typeOf(key);
  const object = `KymaInstanceMapping ${keyString(key)}`;
  const here = { hop: 'resource', object, cluster: own.clusterName };
  let resource: KymaInstanceMapping;
  try {
    resource = await own.get(type, key, { signal });
  } catch (error) {
    if (isUnknownKind(error)) {
      yield { ...here, status: 'failed', ...(await explainMissingKind(own, type, signal)) };
    } else {
      const mend = isForbidden(error)
        ? grantRule({ verb: 'get', type, ...key })
        : shellCommand(...kubectlArguments(key.namespace), 'get', groupResource(type));
      yield { ...here, status: 'failed', detail: messageOf(error), mend };
    }
    yield* skipped('permissions', 'kubeconfig', 'sources', 'token', 'API');
    return;
  }
  yield { ...here, status: 'ok', detail: 'found' };
  yield* permissions(own, ownRights(resource), access);

  let kyma: KymaCluster;
  let refs: InputRefs;
  try {
    refs = readableInputs(resource);
  } catch (error) {
    const mend = commandFor('edit', type, key);
    yield { hop: 'references', object, status: 'failed', detail: messageOf(error), mend };
    yield* skipped('kubeconfig', 'sources', 'token', 'API');
    return;
  }
  try {
    kyma = await acquireKymaCluster(clusters, resource, signal);
  } catch (error) {
    yield kubeconfigProblem(resource, own, error);
    yield* skipped('sources', 'token', 'API');
    return;
  }
  try {
    yield kubeconfigFound(resource, kyma);
    const inputs = await readInputs(kyma, refs, signal);
    yield* inputs.findings.map(inputCheck);
    const isOwn = clusterRefOf(resource) === undefined;
    const rights = inputRights(resource, inputs).map((right) =>
      isOwn ? { ...right, because: ofLocalInputs } : right,
    );
    yield* permissions(kyma.client, rights, isOwn ? access : { signal });
    yield* hanaCloudChecks(hanaCloud, resource, inputs, signal);
  } finally {
    kyma.release();
  }
}

interface Right extends AccessQuestion {
  /** What still works without the right; absent: nothing does. */
  readonly otherwise?: string;
  /** Why the right is needed, if that depends on the spec. */
  readonly because?: string;
}

const ofLocalInputs = 'without kymaConnectionRef the sources are read from this cluster';
const askedInstead = 'what is missing is asked for every 5 s instead of being watched';

function ownRights(resource: KymaInstanceMapping): Right[] {
  const key = keyOf(resource);
  const type = typeOf(key);
  const secret = clusterRefOf(resource)?.secret;
  const inNamespace = secret?.namespace === undefined ? {} : { namespace: secret.namespace };
  return [
    ...['list', 'watch'].map((verb) => ({ verb, type })),
    { verb: 'update', type, ...key },
    { verb: 'update', type, ...key, subresource: 'status' },
    {
      verb: 'create',
      type: events,
      namespace: key.namespace ?? 'default',
      otherwise: 'no events are written',
    },
    ...(secret
      ? [
          { verb: 'get', type: secrets, ...secret },
          { verb: 'watch', type: secrets, ...inNamespace, otherwise: askedInstead },
        ]
      : []),
  ];
}

function inputRights(resource: KymaInstanceMapping, { findings }: Inputs): Right[] {
  const { serviceInstanceRef, adminBindingRef, clusterIdConfigMapRef } = namedInputs(resource);
  // The name of the Secret is in the binding.
  const secret = findings.find(({ hop }) => hop === 'Secret')?.key;
  const inputs = [
    { type: serviceInstances, ...serviceInstanceRef },
    { type: serviceBindings, ...adminBindingRef },
    { type: secrets, namespace: adminBindingRef.namespace, ...secret },
    { type: configMaps, ...(clusterIdConfigMapRef ?? defaultClusterIdConfigMap) },
  ];
  return inputs.flatMap(({ type, namespace, ...rest }): Right[] => [
    { verb: 'get', type, namespace, ...rest },
    { verb: 'watch', type, namespace, otherwise: askedInstead },
  ]);
}

/** One check for each missing right, or one check for the cluster if all are granted. */
async function* permissions(
  client: KubeClient,
  rights: readonly Right[],
  access: AccessOptions,
): AsyncGenerator<Check> {
  const hop = 'permissions';
  const cluster = client.clusterName;
  let missing = 0;
  try {
    const answers = await Promise.all(
      rights.map(async (right) => ({ right, ...(await canI(client, right, access)) })),
    );
    for (const { right, allowed } of answers) {
      if (allowed) continue;
      missing++;
      const object = `${right.verb} ${groupResource(right.type)}${right.namespace === undefined ? '' : ` in ${right.namespace}`}`;
      const { otherwise, because } = right;
      const why = because === undefined ? '' : ` (${because})`;
      const detail = `not allowed${why}${otherwise === undefined ? '' : `: ${otherwise}`}`;
      yield {
        hop,
        status: right.otherwise === undefined ? 'failed' : 'warning',
        object,
        cluster,
        detail,
        mend: grantRule(right),
      };
    }
    if (missing === 0)
      yield { hop, status: 'ok', cluster, detail: `${rights.length} of ${rights.length} granted` };
  } catch (error) {
    yield { hop, status: 'warning', cluster, detail: `cannot be asked: ${messageOf(error)}` };
  }
}

function kubeconfigFound(resource: KymaInstanceMapping, kyma: KymaCluster): Check {
  const secret = kubeconfigSecret(resource);
  const detail =
    secret === undefined ? "not needed: the sources lie on the provider's own cluster" : 'accepted';
  return {
    hop: 'kubeconfig',
    status: 'ok',
    cluster: kyma.client.clusterName,
    detail,
    ...(secret === undefined ? {} : { object: secret }),
  };
}

function kubeconfigProblem(resource: KymaInstanceMapping, own: KubeClient, error: unknown): Check {
  const ref = clusterRefOf(resource);
  const object = kubeconfigSecret(resource);
  return {
    hop: 'kubeconfig',
    status: kindOf(error) === 'waiting' ? 'waiting' : 'failed',
    cluster: own.clusterName,
    detail: messageOf(error),
    ...(object === undefined ? {} : { object }),
    ...(ref === undefined
      ? {}
      : {
          field: ref.kubeconfigKey,
          mend: createCommand(ref.secret, ref.kubeconfigKey),
        }),
  };
}

function kubeconfigSecret(resource: KymaInstanceMapping): string | undefined {
  const ref = clusterRefOf(resource);
  return ref === undefined ? undefined : `Secret ${keyString(ref.secret)}`;
}

function inputCheck({ hop, object, clusterName, problems }: Finding): Check {
  const [first] = problems;
  const base = { hop, object, cluster: clusterName };
  if (first === undefined) return { ...base, status: 'ok', detail: 'found and complete' };
  const fields = problems.flatMap((problem) => (problem.field === undefined ? [] : [problem.field]));
  return {
    ...base,
    status: problems.every(isWaitedFor) ? 'waiting' : 'failed',
    detail: problems.map((problem) => problem.text).join('; '),
    ...(fields.length === 0 ? {} : { field: fields.join(', ') }),
    ...(first.mend === undefined ? {} : { mend: first.mend }),
  };
}

async function* hanaCloudChecks(
  hanaCloud: HanaCloud,
  resource: KymaInstanceMapping,
  inputs: Inputs,
  signal: AbortSignal,
): AsyncGenerator<Check> {
  const { credentials } = inputs;
  if (credentials === undefined) {
    yield* skipped('token', 'API');
    return;
  }
  let hana: HanaCloudClient | undefined;
  try {
    hana = hanaCloud.connect(credentials);
    const { expiresInSeconds } = await hana.checkToken({ signal });
    const life = expiresInSeconds === undefined ? '' : `, valid for ${expiresInSeconds} s`;
    yield { hop: 'token', status: 'ok', object: credentials.tokenUrl, detail: `granted${life}` };
    const identity = describedIdentity(resource, inputs);
    if (identity === undefined) {
      yield* skipped('API');
      return;
    }
    yield await apiCheck(hana, resource, identity, credentials.baseUrl, signal);
  } catch (error) {
    yield {
      hop: hana === undefined ? 'endpoint' : 'token',
      status: 'failed',
      object: credentials.tokenUrl,
      detail: messageOf(error),
      mend: showBinding(namedInputs(resource).adminBindingRef),
    };
    yield* skipped('API');
  } finally {
    await hana?.close();
  }
}

async function apiCheck(
  hana: HanaCloudClient,
  resource: KymaInstanceMapping,
  identity: MappingIdentity,
  baseUrl: string,
  signal: AbortSignal,
): Promise<Check> {
  const reported = (status: CheckStatus, detail: string): Check => ({
    hop: 'API',
    status,
    object: `${baseUrl}, mapping ${kymaNames.format(identity)}`,
    detail,
    ...(status === 'ok' ? {} : { mend: describeCommand(resource) }),
  });
  try {
    const decision = decideIdentity(kymaMappingKind.recordsOf(resource), identity);
    const mapping = await findMapping(hana, identity, signal);
    if (decision.kind === 'changed') {
      return reported('waiting', `will replace ${kymaNames.format(decision.recorded)}`);
    }
    if (mapping === undefined) return reported('waiting', mappingMissing);
    const desired = resource.spec.forProvider.isDefault ?? false;
    return mapping.isDefault === desired
      ? reported('ok', 'mapped')
      : reported('waiting', isDefaultDiff(mapping.isDefault, desired));
  } catch (error) {
    return reported('failed', messageOf(error));
  }
}

function* skipped(...hops: string[]): Generator<Check> {
  for (const hop of hops) yield { hop, status: 'skipped', detail: 'an earlier hop is missing' };
}

function keyIn({ name, namespace }: Pick<DiagnoseOptions, 'name' | 'namespace'>): ObjectKey {
  return namespace === undefined ? { name } : { name, namespace };
}

function typeOf({ namespace }: ObjectKey): ResourceType<KymaInstanceMapping> {
  return namespace === undefined ? kymaInstanceMappingTypes.cluster : kymaInstanceMappingTypes.namespaced;
}

/** `--` precedes a name that begins with a dash. */
function createCommand({ namespace, name }: ObjectKey, key: string): string {
  const file = `--from-file=${key}=FILE`;
  const words = name.startsWith('-') ? [file, '--', name] : [name, file];
  return shellCommand(...kubectlArguments(namespace), 'create', 'secret', 'generic', ...words);
}

function commandFor(verb: string, type: ResourceType, { namespace, name }: ObjectKey): string {
  const object = objectArguments(groupResource(type), name);
  return shellCommand(...kubectlArguments(namespace), verb, ...object);
}

/** With the group, since both scopes have a kind of this name. */
function describeCommand(resource: KymaInstanceMapping): string {
  const key = keyOf(resource);
  return commandFor('describe', typeOf(key), key);
}
