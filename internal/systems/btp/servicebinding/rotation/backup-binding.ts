import { createHash } from 'node:crypto';
import { type ShardLabels, withShardLabels } from '../../../../framework/controller/index.ts';
import { asController } from '../../../../framework/kube/index.ts';
import { cutName } from '../../../../framework/kube/object/object.ts';
import { originalBindingAnnotation, rotationOfLabel, staleLabel } from '../../metadata.ts';
import { type ServiceBinding, serviceBindings } from '../resource.ts';
import { labelValueOf } from './label-value.ts';

/** The limits of the schema, and of names of objects. */
const MAX_EXTERNAL_NAME = 100;
const MAX_NAME = 253;
const SUFFIX_LENGTH = 6;

/** Names of the binding that keeps the replaced credentials. */
export interface BackupNames {
  /** In Service Manager. */
  readonly externalName: string;
  /** Of the object. */
  readonly name: string;
  readonly secretName: string;
}

/**
 * The names of a backup follow from the ID of the replaced binding, so a rotation that was interrupted at any step uses the
 * same ones again. Names that would be too long are cut before the suffix.
 */
export function backupNames({ metadata, spec }: ServiceBinding, bindingID: string): BackupNames {
  const suffix = `-${suffixOf(bindingID)}`;
  const extended = (name: string, limit: number) => `${cutName(name, limit - suffix.length)}${suffix}`;
  return {
    externalName: extended(spec.externalName || metadata.name, MAX_EXTERNAL_NAME),
    name: extended(metadata.name, MAX_NAME),
    secretName: extended(spec.secretName || metadata.name, MAX_NAME),
  };
}

/** Six lower case letters and digits. */
function suffixOf(bindingID: string): string {
  const hash = createHash('sha256').update(bindingID).digest();
  return hash.readBigUInt64BE(0).toString(36).padStart(SUFFIX_LENGTH, '0').slice(-SUFFIX_LENGTH);
}

/**
 * A binding with the replaced credentials. The garbage collector deletes it with its origin.
 *
 * @param shard the labels that the process selects its objects by
 */
export function backupBinding(
  origin: ServiceBinding,
  bindingID: string,
  shard: ShardLabels = {},
): ServiceBinding {
  const { metadata, spec } = origin;
  const { name, externalName, secretName } = backupNames(origin, bindingID);
  const { credentialsRotationPolicy: policy, ...rest } = spec;
  return {
    apiVersion: serviceBindings.apiVersion,
    kind: serviceBindings.kind,
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: withShardLabels(
        { [staleLabel]: bindingID, [rotationOfLabel]: labelValueOf(metadata.name) },
        shard,
      ),
      annotations: { [originalBindingAnnotation]: metadata.name },
      ownerReferences: [asController(origin)],
    },
    spec: {
      ...rest,
      externalName,
      secretName,
      ...(policy === undefined ? {} : { credentialsRotationPolicy: { ...policy, enabled: false } }),
    },
  };
}
