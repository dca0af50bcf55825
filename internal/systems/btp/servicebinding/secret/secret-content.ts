/**
 * The Secret of a ServiceBinding with or without a template. Pure: the same input has the same result, except for templates that use
 * time or random numbers.
 */
import { assembleContent, type SecretContent, type SecretSource } from './assemble-content.ts';
import { instanceInfo } from './instance-info.ts';
import { type RenderOptions, renderSecret } from './template/template-content.ts';

/** @throws SecretContentError, whose message has no credential in plain text, base64 or escaped */
export const secretContent = (source: SecretSource, options: RenderOptions = {}): SecretContent =>
  assembleContent(source, ({ binding, instance, credentials }) =>
    renderSecret(binding, instanceInfo(instance), credentials, options),
  );
