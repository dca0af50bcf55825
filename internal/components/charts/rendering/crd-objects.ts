import type { ChartFile } from '../../../helm/chart-renderer.ts';
import type { ManifestObject } from '../../model/manifest.ts';
import { objectsOf } from './manifest-objects.ts';

/** In the text, since other files of the folder need not be objects. */
const crd = /^ {0,8}["']?kind["']?: {0,8}["']?CustomResourceDefinition\b/m;

/**
 * The objects of all YAML files that have a CRD, each file once.
 *
 * @param exclude gets the path of a file
 * @throws SourceError with file and line for a document that cannot be parsed
 */
export function crdObjects(
  files: readonly ChartFile[],
  exclude: (path: string) => boolean,
): readonly ManifestObject[] {
  return files
    .filter(({ name }) => /\.ya?ml$/.test(name) && !exclude(name))
    .map(({ name, data }) => ({ name, text: new TextDecoder().decode(data) }))
    .filter(({ text }) => crd.test(text))
    .flatMap(({ name, text }) => objectsOf(text, name));
}
