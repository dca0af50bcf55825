import type { KubeObject, ResourceType, Secret } from '../../../../../framework/kube/index.ts';
import { customResourceDefinitions, secrets } from '../../../../../framework/kube/object/resource-type.ts';
import type { ActionContext } from '../../model/actions.ts';
import { textAt } from '../common/fields.ts';
import { allObjects, findObject } from '../common/objects.ts';

type Context = Pick<ActionContext, 'cluster' | 'signal'>;

const OFFERING = 'connectivity';

/** A binding of the BTP operator to an instance of the Connectivity service. */
export interface ConnectivityBinding {
  readonly object: KubeObject;
  /** The key of the Secret that has all credentials as one JSON text; undefined: they are keys of their own. */
  readonly secretRootKey: string | undefined;
}

/** The first binding of the first instance that has one; undefined also if the BTP operator is not installed. */
export async function findBinding(context: Context): Promise<ConnectivityBinding | undefined> {
  const instances = new Set<string>();
  for await (const instance of allObjects(context, btpType('ServiceInstance'))) {
    if (textAt(instance, 'spec', 'serviceOfferingName') === OFFERING) instances.add(placeOf(instance));
  }
  if (instances.size === 0) return undefined;
  for await (const object of allObjects(context, btpType('ServiceBinding'))) {
    const instance = textAt(object, 'spec', 'serviceInstanceName');
    if (instance === undefined || !instances.has(placeOf(object, instance))) continue;
    const secretRootKey = textAt(object, 'spec', 'secretRootKey');
    return { object, secretRootKey: secretRootKey === '' ? undefined : secretRootKey };
  }
  return undefined;
}

/** The Secret of the binding; undefined while the BTP operator has not created it. */
export async function findBindingSecret(
  context: Context,
  { object }: ConnectivityBinding,
): Promise<Secret | undefined> {
  const name = textAt(object, 'spec', 'secretName') ?? object.metadata.name;
  return await findObject(context, secrets, { name, namespace: object.metadata.namespace ?? 'default' });
}

/** Whether Istio has its kinds for gateways. */
export async function hasIstio(context: Context): Promise<boolean> {
  const names = ['virtualservices.networking.istio.io', 'gateways.networking.istio.io'];
  const found = await Promise.all(
    names.map((name) => findObject<KubeObject>(context, customResourceDefinitions, { name })),
  );
  return !found.includes(undefined);
}

function btpType(kind: string): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'services.cloud.sap.com', version: 'v1', kind, plural, namespaced: true };
}

const placeOf = ({ metadata }: KubeObject, name = metadata.name): string => `${metadata.namespace}/${name}`;
