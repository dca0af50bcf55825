import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { tidyComments } from './comment.ts';

/**
 * The types of one OpenAPI document, for openapi-fetch. A property with a default stays optional: a response may lack
 * it, and code that reads it decides what then holds.
 */
export async function openapiTypes(file: string): Promise<string> {
  const nodes = await openapiTS(pathToFileURL(file), { defaultNonNullable: false, silent: true });
  return `\n${tidyComments(astToString(nodes))}`;
}
