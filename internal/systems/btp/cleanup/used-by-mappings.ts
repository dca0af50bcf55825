import { kymaInstanceMappingTypes } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { messageOf } from '../../../framework/base/errors/errors.ts';
import { listAll } from '../../../framework/kube/cache/listed-cache.ts';
import type { KubeClient } from '../../../framework/kube/client/client.ts';
import { isForbidden, isNotFound } from '../../../framework/kube/errors/errors.ts';
import { type KubeObject, keyOf, keyString } from '../../../framework/kube/object/object.ts';

export interface UsedByMappingsOptions {
  readonly client: KubeClient;
  /** Of namespaced mappings, and of the objects. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** A signal for one request. */
  readonly signal: () => AbortSignal;
  /** Called if mappings cannot be listed. */
  readonly report: (line: string) => void;
}

/**
 * KymaInstanceMappings that read one of the objects, one line each. Without them a mapping cannot be deleted in HANA Cloud, and its
 * workloads lose the database.
 *
 * @param objects ServiceInstances and ServiceBindings
 */
export async function usedByMappings(
  objects: readonly KubeObject[],
  { client, namespaces, signal, report }: UsedByMappingsOptions,
): Promise<readonly string[]> {
  const { cluster, namespaced } = kymaInstanceMappingTypes;
  const places = [
    { type: cluster, selection: {} },
    ...(namespaces?.map((namespace) => ({ type: namespaced, selection: { namespace } })) ?? [
      { type: namespaced, selection: {} },
    ]),
  ];
  const known = new Set(objects.map((object) => `${object.kind} ${keyString(keyOf(object))}`));
  const lines: string[] = [];
  for (const { type, selection } of places) {
    try {
      for (const mapping of await listAll(client, type, { ...selection, signal: signal() })) {
        const { metadata, spec } = mapping;
        // Those are on another cluster.
        if (spec.forProvider.kymaConnectionRef !== undefined) continue;
        const { serviceInstanceRef, adminBindingRef } = spec.forProvider;
        const { namespace: home = '' }: KubeObject['metadata'] = metadata;
        const used = [
          `ServiceInstance ${keyString({ namespace: home, ...serviceInstanceRef })}`,
          `ServiceBinding ${keyString({ namespace: home, ...adminBindingRef })}`,
        ].filter((name) => known.has(name));
        if (used.length > 0)
          lines.push(`KymaInstanceMapping ${keyString(keyOf(mapping))} uses ${used.join(' and ')}`);
      }
    } catch (error) {
      if (isNotFound(error)) continue;
      if (!isForbidden(error)) throw error;
      report(`not checked whether mappings use the objects: ${messageOf(error)}`);
    }
  }
  return lines;
}
