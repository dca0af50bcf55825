import type { ServiceBinding } from '../../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { kindOf, messageOf } from '../../../../../framework/base/index.ts';

import {
  dict,
  type ExecuteOptions,
  fromJson,
  fromOutside,
  parseTemplate,
  SPRIG_FUNCTIONS,
  stringMap,
  TemplateExecError,
  TemplateLimitError,
  type Value,
} from '../../../../../templates/gotemplate/index.ts';
import { parseCredentials } from '../credentials.ts';
import { invalidTemplateText, SecretContentError } from '../errors.ts';
import type { InstanceInfo } from '../instance-info.ts';
import { parseSecretDocument, type SecretDocument, SecretDocumentError } from './secret-document.ts';

/** For templates that use the time or random values, and for their time limit. Default: those of the system. */
export type RenderOptions = Pick<ExecuteOptions, 'clock' | 'random'>;

/**
 * The Secret that `spec.secretTemplate` describes. Without entries it has labels and annotations only.
 *
 * @param credentials the JSON text as received; undefined: there are none
 * @throws SecretContentError, whose message may quote credentials
 */
export function renderSecret(
  { metadata, spec: { secretTemplate = '' } }: ServiceBinding,
  instance: InstanceInfo,
  credentials: string | undefined,
  options: RenderOptions,
): SecretDocument {
  const data = templateData(credentials, instance);
  return explained(() => {
    const template = parse(`${metadata.namespace}/${metadata.name}`, secretTemplate);
    return parseSecretDocument(template.execute(data, { ...options, missingKey: 'error' }));
  });
}

/** @throws SecretContentError if it cannot be parsed */
export const assertTemplate = (template: string): unknown =>
  explained(() => parse('secretTemplate', template));

const parse = (name: string, text: string) => parseTemplate(name, text, { functions: SPRIG_FUNCTIONS });

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const kind = error instanceof SecretDocumentError ? 'terminal' : kindOf(error);
    if (kind === 'bug') throw error;
    throw new SecretContentError(invalidTemplateText(textOf(error)), kind);
  }
}

/** `.credentials` and `.instance`, with the types of Go; numbers are doubles. `.instance.tags` only if there are tags. */
function templateData(credentials: string | undefined, { texts, tags }: InstanceInfo): Value {
  const parsed = parseCredentials(credentials ?? '{}');
  if ('problem' in parsed) {
    throw new SecretContentError(`failed to unmarshal given service binding credentials: ${parsed.problem}`);
  }
  const info = tags.length === 0 ? texts : { ...texts, tags: tags.join(',') };
  const instance = stringMap(Object.entries(info).map(([key, text]) => [key, fromOutside(text)]));
  return dict([
    ['credentials', fromJson(parsed.object)],
    ['instance', instance],
  ]);
}

/** Go's text, but for errors of functions, which quote their arguments: a part of a credential cannot be masked. */
function textOf(error: unknown): string {
  if (error instanceof TemplateExecError) return error.safeMessage;
  if (error instanceof TemplateLimitError && error.limit === 'output') {
    return `the size of the generated Secret exceeds the limit of ${error.value} bytes`;
  }
  return messageOf(error);
}
