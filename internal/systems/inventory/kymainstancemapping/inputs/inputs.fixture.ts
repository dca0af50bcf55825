/** Input objects of a mapping in `shop`, all of them usable. */
import type { KubeObject } from '../../../../framework/kube/object/object.ts';
import { inputCluster } from '../../input/input-cluster.fixture.ts';
import { type Inputs, readInputs } from './inputs.ts';

export const refs = {
  serviceInstanceRef: { namespace: 'shop', name: 'hana' },
  adminBindingRef: { namespace: 'shop', name: 'hana-admin' },
};
export const base64 = (text: string) => Buffer.from(text).toString('base64');
const uaa = JSON.stringify({
  url: 'https://uaa.example.org',
  clientid: 'sb-1',
  clientsecret: 's3cret-value',
});

export type Objects = Record<string, KubeObject & Record<string, unknown>>;

export function complete(): Objects {
  const meta = (namespace: string, name: string) => ({ namespace, name, resourceVersion: '7' });
  return {
    instance: {
      apiVersion: 'services.cloud.sap.com/v1',
      kind: 'ServiceInstance',
      metadata: meta('shop', 'hana'),
      status: { instanceID: 'i-1', conditions: [{ type: 'Ready', status: 'True' }] },
    },
    binding: {
      apiVersion: 'services.cloud.sap.com/v1',
      kind: 'ServiceBinding',
      metadata: meta('shop', 'hana-admin'),
      spec: { secretName: 'hana-admin-secret' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    },
    secret: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: meta('shop', 'hana-admin-secret'),
      data: { baseurl: base64('https://api.example.org'), uaa: base64(uaa) },
    },
    config: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: meta('kyma-system', 'sap-btp-operator-config'),
      data: { CLUSTER_ID: 'c-1' },
    },
  };
}

export const read = (objects: Objects, failures: Record<string, Error> = {}): Promise<Inputs> =>
  readInputs(inputCluster(Object.values(objects), failures), refs, new AbortController().signal);

export const without = (name: string): Objects => {
  const { [name]: _, ...rest } = complete();
  return rest;
};
export const changed = (name: string, change: Record<string, unknown>): Objects => {
  const objects = complete();
  const object = objects[name];
  if (object === undefined) throw new Error(`no ${name}`);
  return { ...objects, [name]: { ...object, ...change } };
};
