import { systemClock } from '../../../base/time/clock.ts';
import type { ChartFile } from '../../../helm/chart-renderer.ts';
import type { ChartOptions } from '../../model/charts.ts';
import type { Manifest } from '../../model/manifest.ts';
import { createYamlReader, type YamlReader } from './yaml-reader.ts';

/** In the text, since other files of the folder need not be objects. */
const crd = /^ {0,8}["']?kind["']?: {0,8}["']?CustomResourceDefinition\b/m;

/**
 * The objects of all YAML files that have a CRD, each file once.
 *
 * @param exclude gets the path of a file
 * @param reader default: one of its own, whose thread ends when it is idle
 * @throws an error with file and line for a document that cannot be parsed
 */
export function crdObjects(
  files: readonly ChartFile[],
  exclude: (path: string) => boolean,
  reader: Pick<YamlReader, 'objectsOf'> = createYamlReader({ clock: systemClock }),
  options: ChartOptions = { group: 'CRDs', signal: new AbortController().signal },
): Promise<Manifest> {
  const texts = files
    .filter(({ name }) => /\.ya?ml$/.test(name) && !exclude(name))
    .map(({ name, data }) => ({ source: name, text: new TextDecoder().decode(data) }))
    .filter(({ text }) => crd.test(text));
  return reader.objectsOf(texts, options);
}
