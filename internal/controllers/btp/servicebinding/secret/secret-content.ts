/**
 * The Secret of a ServiceBinding, from the credentials of Service Manager, the spec of the binding and its instance. Pure:
 * the same input has the same result, except for templates that use time or random numbers.
 */
import type { ServiceBinding } from '../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { staleLabel } from '../../metadata.ts';
import type { ServiceInstance } from '../../serviceinstance/resource.ts';
import { defaultData, type SecretEntries } from './default-data.ts';
import { createFailedText, SecretContentError } from './errors.ts';
import { instanceInfo } from './instance-info.ts';
import { entriesProblem } from './secret-limits.ts';

export interface SecretSource {
  readonly binding: ServiceBinding;
  readonly instance: ServiceInstance;
  /** The JSON text exactly as received; undefined: there are none. Secret. */
  readonly credentials: string | undefined;
}

/** What `storeSecret` writes. */
export interface SecretContent {
  readonly type: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** base64 values */
  readonly data: Readonly<Record<string, string>>;
}

/** Label of each Secret of a binding, by which the SAP BTP service operator selects what it caches. */
const managedByLabel = 'services.cloud.sap.com/managed-by-sap-btp-operator';
/** Annotation of the Secret: the name of its binding. */
const bindingAnnotation = 'binding';

/** @throws SecretContentError */
export function secretContent({ binding, instance, credentials }: SecretSource): SecretContent {
  const { metadata, spec } = binding;
  const entries = defaultData(credentials, instanceInfo(instance), spec);
  const problem = entriesProblem(entries);
  if (problem !== undefined) throw new SecretContentError(createFailedText(problem));
  const stale = metadata.labels?.[staleLabel];
  return {
    type: 'Opaque',
    labels: { [managedByLabel]: 'true', ...(stale ? { [staleLabel]: stale } : {}) },
    annotations: { [bindingAnnotation]: metadata.name },
    data: encoded(entries),
  };
}

const encoded = (entries: SecretEntries): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entries).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
  );
