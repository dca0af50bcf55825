import { createHash } from 'node:crypto';
import { goJson } from '../../parameters/go-json.ts';
import type { ServiceInstance } from '../../serviceinstance/resource.ts';

/** Annotation of an instance: `true` exactly puts metadata.name into Secrets, instead of the external name. */
const useMetadataNameAnnotation = 'services.cloud.sap.com/useInstanceMetadataName';

/** What the Secret of a binding has about its instance. */
export interface InstanceInfo {
  /** All but the tags, by key of the Secret. */
  readonly texts: Readonly<Record<string, string>>;
  /** Tags of the offering, then those of the spec, each once. */
  readonly tags: readonly string[];
}

export function instanceInfo({ metadata, spec, status }: ServiceInstance): InstanceInfo {
  const useMetadataName = metadata.annotations?.[useMetadataNameAnnotation] === 'true';
  return {
    texts: {
      // The webhook defaults the external name; it may be off.
      instance_name: useMetadataName ? metadata.name : spec.externalName || metadata.name,
      instance_guid: status?.instanceID ?? '',
      plan: spec.servicePlanName,
      label: spec.serviceOfferingName,
      type: spec.serviceOfferingName,
    },
    tags: [...new Set([...(status?.tags ?? []), ...(spec.customTags ?? [])])],
  };
}

/** What a Secret must be written anew for when it changes; the same for each process. */
export const infoDigest = (instance: ServiceInstance): string =>
  createHash('sha256')
    .update(JSON.stringify(instanceInfo(instance)))
    .digest('base64url')
    .slice(0, 22);

/** An entry of a Secret, as `.metadata` describes it. */
export interface Property {
  readonly name: string;
  readonly container?: true;
  readonly format: 'text' | 'json';
}

/** The entries for a Secret and their description. */
export function infoEntries({ texts, tags }: InstanceInfo): {
  readonly entries: Readonly<Record<string, string>>;
  readonly properties: readonly Property[];
} {
  const properties: Property[] = Object.keys(texts).map((name) => ({ name, format: 'text' }));
  if (tags.length === 0) return { entries: texts, properties };
  return {
    entries: { ...texts, tags: goJson(tags) },
    properties: [...properties, { name: 'tags', format: 'json' }],
  };
}
