import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { generatedHeader } from '../generated-header.ts';
import { tidyComments } from './comment.ts';

/**
 * The types of one OpenAPI document, for openapi-fetch. A property with a default stays optional: a response may lack
 * it, and code that reads it decides what then holds.
 *
 * @param source path of the document relative to the repository, for the header
 */
export async function openapiTypes(file: string, source: string): Promise<string> {
  const nodes = await openapiTS(pathToFileURL(file), { defaultNonNullable: false, silent: true });
  return `${generatedHeader(source, '//')}\n${tidyComments(astToString(nodes))}`;
}
