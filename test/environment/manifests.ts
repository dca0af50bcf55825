/**
 * The objects of a Kyma cluster before the provider is installed: namespaces, Secrets and ConfigMaps, and what the SAP
 * BTP service operator creates for a database and for the binding to its administration API.
 */

import type { ConfigMap, KubeObject, Secret } from '../../internal/framework/kube/object/object.ts';
import { apiVersionOf, type ResourceType } from '../../internal/framework/kube/object/resource-type.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

export const namespaceManifest = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

/** @param data not encoded */
export function secretManifest(name: Name, data: Readonly<Record<string, string>>): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...name },
    data: Object.fromEntries(encoded) as Record<string, string>,
  };
}

export const configMapManifest = (name: Name, data: Readonly<Record<string, string>>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...name },
  data: { ...data },
});

/** The status that the operator writes once a resource is ready. */
export const provisioned = {
  conditions: [{ type: 'Ready', status: 'True', reason: 'Provisioned' }],
} as const;

type BtpObject = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

/** Parts that are not given are not there. */
export type BtpParts = Pick<BtpObject, 'spec' | 'status'>;

export const serviceInstanceManifest = (name: Name, parts: BtpParts = {}): BtpObject =>
  btpObject(serviceInstances, name, parts);

export const serviceBindingManifest = (name: Name, parts: BtpParts = {}): BtpObject =>
  btpObject(serviceBindings, name, parts);

function btpObject(type: ResourceType, name: Name, parts: BtpParts): BtpObject {
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { ...name }, ...parts };
}

/**
 * Objects as one JSON document: kubectl before 1.36 refuses several JSON documents in one file, whatever stands between
 * them.
 */
export const listOf = (items: readonly unknown[]): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
