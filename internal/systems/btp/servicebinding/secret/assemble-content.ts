/**
 * The Secret of a ServiceBinding, from the credentials of Service Manager, the spec of the binding and its instance. Pure:
 * the same input has the same result, except for templates that use time or random numbers.
 */

import type { ServiceBinding } from '../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { createScrubber, cutText } from '../../../../framework/base/index.ts';

import { encodedData } from '../../../../framework/kube/object/secret-data.ts';
import { managedByLabel, staleLabel } from '../../metadata.ts';
import type { ServiceInstance } from '../../serviceinstance/resource.ts';
import { credentialTexts } from './credentials.ts';
import { defaultData } from './default-data.ts';
import { createFailedText, invalidTemplateText, SecretContentError } from './errors.ts';
import { instanceInfo } from './instance-info.ts';
import { dataProblem } from './secret-limits.ts';
import type { SecretDocument } from './template/secret-document.ts';

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

/** Annotation of the Secret: the name of its binding. */
const bindingAnnotation = 'binding';

/** Renders the template of a binding. @throws SecretContentError, whose message may quote credentials */
export type RenderTemplate = (source: SecretSource) => SecretDocument;

/**
 * Without the code of templates, which is large: most bindings have none.
 *
 * @param render of a binding with a template
 * @throws SecretContentError, whose message has no credential in plain text, base64 or escaped
 */
export function assembleContent(source: SecretSource, render: RenderTemplate): SecretContent {
  try {
    return content(source, render);
  } catch (error) {
    if (!(error instanceof SecretContentError)) throw error;
    const scrub = createScrubber(credentialTexts(source.credentials ?? '{}'));
    // Cut afterwards: a part of a credential is not found. Without the cause, whose text has values.
    throw new SecretContentError(cutText(scrub(error.message), MAX_MESSAGE), error.kind);
  }
}

/** In characters. */
const MAX_MESSAGE = 2000;

function content(source: SecretSource, render: RenderTemplate): SecretContent {
  const { metadata, spec } = source.binding;
  const rendered = spec.secretTemplate ? render(source) : undefined;
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
