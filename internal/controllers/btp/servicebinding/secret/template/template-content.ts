import type { ServiceBinding } from '../../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { kindOf, messageOf } from '../../../../../base/errors/errors.ts';
import { createScrubber } from '../../../../../base/text/redact.ts';
import { credentialTexts, parseCredentials } from '../credentials.ts';
import { invalidTemplateText, SecretContentError } from '../errors.ts';
import type { InstanceInfo } from '../instance-info.ts';
import { parseSecretDocument, type SecretDocument, SecretDocumentError } from './secret-document.ts';

/** What a template of a Secret refers to. */
export interface TemplateData {
  /** Numbers are doubles, as in Go. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** With `tags`, separated by commas, only if there are tags. */
  readonly instance: Readonly<Record<string, string>>;
}

/**
 * Renders a Go template; a key that does not exist is an error.
 *
 * @param name of the template, for messages
 */
export type RenderTemplate = (template: string, name: string, data: TemplateData) => string;

/**
 * The Secret that `spec.secretTemplate` describes. Without entries it has labels and annotations only.
 *
 * @param credentials the JSON text as received; undefined: there are none
 * @throws SecretContentError, whose message has no credential in plain text, base64 or escaped. A template can change a
 * credential and quote it with `fail`.
 */
export function renderSecret(
  { metadata, spec: { secretTemplate = '' } }: ServiceBinding,
  instance: InstanceInfo,
  credentials: string | undefined,
  render: RenderTemplate,
): SecretDocument {
  const name = `${metadata.namespace}/${metadata.name}`;
  const data = templateData(credentials, instance);
  try {
    return parseSecretDocument(render(secretTemplate, name, data));
  } catch (error) {
    const kind = error instanceof SecretDocumentError ? 'terminal' : kindOf(error);
    if (kind === 'bug') throw error;
    const scrub = createScrubber(credentialTexts(credentials ?? '{}'));
    // Without the cause, whose text has values.
    throw new SecretContentError(scrub(invalidTemplateText(messageOf(error))), kind);
  }
}

function templateData(credentials: string | undefined, { texts, tags }: InstanceInfo): TemplateData {
  const parsed = parseCredentials(credentials ?? '{}');
  if ('problem' in parsed) {
    throw new SecretContentError(`failed to unmarshal given service binding credentials: ${parsed.problem}`);
  }
  return {
    credentials: parsed.object,
    instance: tags.length === 0 ? texts : { ...texts, tags: tags.join(',') },
  };
}
