/** The rights that a mapping needs on both clusters. */
import { messageOf } from '../../../../framework/base/index.ts';
import {
  type AccessOptions,
  type AccessQuestion,
  canI,
  type GrantOptions,
  grantCommand,
} from '../../../../framework/kube/client/access-review.ts';
import {
  configMaps,
  groupResource,
  type KubeClient,
  keyOf,
  secrets,
} from '../../../../framework/kube/index.ts';
import { events } from '../../../../framework/kube/object/resource-type.ts';
import type { Check } from '../../../../framework/module/diagnosis.ts';
import type { InputCluster } from '../../input/read-input.ts';
import { clusterRefOf, namedInputs } from '../inputs/input-refs.ts';
import {
  defaultClusterIdConfigMap,
  type Inputs,
  serviceBindings,
  serviceInstances,
} from '../inputs/inputs.ts';
import { type KymaInstanceMapping, typeOfKey } from '../resource.ts';

export interface Right extends AccessQuestion {
  /** What still works without the right; absent: nothing does. */
  readonly otherwise?: string;
  /** Why the right is needed, if that depends on the spec. */
  readonly because?: string;
}

const askedInstead = 'what is missing is asked for every 5 s instead of being watched';

/** Rights on the management cluster. */
export function ownRights(resource: KymaInstanceMapping): Right[] {
  const key = keyOf(resource);
  const type = typeOfKey(key);
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

/** Rights on the cluster with the input objects. */
export function inputRights(
  resource: KymaInstanceMapping,
  cluster: InputCluster,
  { findings }: Inputs,
): Right[] {
  const { serviceInstanceRef, adminBindingRef, clusterIdConfigMapRef } = namedInputs(resource);
  // The name of the Secret is in the binding.
  const secret = findings.find(({ type }) => type.kind === 'Secret')?.key;
  const inputs = [
    { type: serviceInstances, ...serviceInstanceRef },
    { type: serviceBindings, ...adminBindingRef },
    { type: secrets, namespace: adminBindingRef.namespace, ...secret },
    { type: configMaps, ...(clusterIdConfigMapRef ?? defaultClusterIdConfigMap(cluster)) },
  ];
  return inputs.flatMap(({ type, namespace, ...rest }): Right[] => [
    { verb: 'get', type, namespace, ...rest },
    { verb: 'watch', type, namespace, otherwise: askedInstead },
  ]);
}

/** One check for each missing right, or one check for the cluster if all are granted. */
export async function* permissionChecks(
  client: KubeClient,
  rights: readonly Right[],
  { grant, ...access }: AccessOptions & { readonly grant: GrantOptions },
): AsyncGenerator<Check> {
  const name = 'permissions';
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
        name,
        status: right.otherwise === undefined ? 'failed' : 'warning',
        object,
        cluster,
        detail,
        remediation: grantCommand(right, grant),
      };
    }
    if (missing === 0)
      yield { name, status: 'ok', cluster, detail: `${rights.length} of ${rights.length} granted` };
  } catch (error) {
    yield { name, status: 'warning', cluster, detail: `cannot be asked: ${messageOf(error)}` };
  }
}
