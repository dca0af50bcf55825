/**
 * The Secret of a ServiceBinding, from the credentials of Service Manager, the spec of the binding and its instance. Pure:
 * the same input has the same result, except for templates that use time or random numbers.
 */
import type { ServiceBinding } from '../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { staleLabel } from '../../metadata.ts';
import type { ServiceInstance } from '../../serviceinstance/resource.ts';
import { defaultData } from './default-data.ts';
import { encodedData } from './encoded-data.ts';
import { createFailedText, invalidTemplateText, SecretContentError } from './errors.ts';
import { instanceInfo } from './instance-info.ts';
import { dataProblem } from './secret-limits.ts';
import type { SecretDocument } from './template/secret-document.ts';
import { type RenderTemplate, renderSecret } from './template/template-content.ts';

export interface SecretSource {
  readonly binding: ServiceBinding;
  readonly instance: ServiceInstance;
  /** The JSON text exactly as received; undefined: there are none. Secret. */
  readonly credentials: string | undefined;
}

/** What `storeSecret` writes. */
export interface SecretContent {
  readonly type: string;
  /** Default false. */
  readonly immutable?: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** base64 values */
  readonly data: Readonly<Record<string, string>>;
}

/** Label of each Secret of a binding, by which the SAP BTP service operator selects what it caches. */
const managedByLabel = 'services.cloud.sap.com/managed-by-sap-btp-operator';
/** Annotation of the Secret: the name of its binding. */
const bindingAnnotation = 'binding';

/**
 * @param render default: templates are refused
 * @throws SecretContentError
 */
export function secretContent(source: SecretSource, render: RenderTemplate = noTemplates): SecretContent {
  const { metadata, spec } = source.binding;
  const rendered = spec.secretTemplate ? renderedSecret(source, render) : undefined;
  const data = dataOf(source, rendered);
  const stale = metadata.labels?.[staleLabel];
  return {
    type: rendered?.type ?? 'Opaque',
    ...(rendered?.immutable ? { immutable: true } : {}),
    labels: { ...rendered?.labels, [managedByLabel]: 'true', ...(stale ? { [staleLabel]: stale } : {}) },
    annotations: { ...rendered?.annotations, [bindingAnnotation]: metadata.name },
    data,
  };
}

const noTemplates: RenderTemplate = () => {
  throw new SecretContentError('templates are not rendered yet');
};

const renderedSecret = ({ binding, instance, credentials }: SecretSource, render: RenderTemplate) =>
  renderSecret(binding, instanceInfo(instance), credentials, render);

/** A template without entries leaves them to the other formats. */
function dataOf(
  { binding, instance, credentials }: SecretSource,
  rendered: SecretDocument | undefined,
): SecretContent['data'] {
  const isRendered = rendered !== undefined && Object.keys(rendered.data).length > 0;
  const data = isRendered
    ? rendered.data
    : encodedData(defaultData(credentials, instanceInfo(instance), binding.spec));
  const problem = dataProblem(data);
  if (problem === undefined) return data;
  throw new SecretContentError(isRendered ? invalidTemplateText(problem) : createFailedText(problem));
}
