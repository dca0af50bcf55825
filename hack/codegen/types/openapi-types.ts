import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { generatedHeader } from '../generated-header.ts';
import { tidyComments } from './comment.ts';

/**
 * The types of one OpenAPI document, for openapi-fetch. A property with a default stays optional: on the wire it
 * may be absent, and whoever reads it must say what then holds.
 *
 * @param source where the document lies relative to the repository, for the header
 */
export async function openapiTypes(file: string, source: string): Promise<string> {
  const nodes = await openapiTS(pathToFileURL(file), { defaultNonNullable: false, silent: true });
  return `${generatedHeader(source, '//')}\n${tidyComments(astToString(nodes))}`;
}
