import { isObject, valueAt } from '../../../../../../framework/base/json/json-field.ts';
import { refused } from '../model/source-error.ts';

export interface LayerDescriptor {
  /** `sha256:…` */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

/** What a client accepts for a tag: an artifact, not an index of platforms. */
export const MANIFEST_TYPES = 'application/vnd.oci.image.manifest.v1+json';

/** Media types of Helm; the second was used until Helm 3.7. */
const CHART_LAYERS: readonly string[] = [
  'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
  'application/tar+gzip',
];
const CHART_CONFIG = 'application/vnd.cncf.helm.config.v1+json';

/**
 * The layer of a manifest that has the chart.
 *
 * @throws SourceError if it is an image, an index, or has not exactly one such layer
 */
export function chartLayerOf(manifest: unknown, name: string): LayerDescriptor {
  const layers = valueAt(manifest, ['layers']);
  const config = textAt(manifest, ['config', 'mediaType']);
  if (!Array.isArray(layers) || config !== CHART_CONFIG) throw refused(`${name} is not a chart of Helm`);
  const charts = layers.filter((layer) => CHART_LAYERS.includes(textAt(layer, ['mediaType']) ?? ''));
  const [layer] = charts;
  if (charts.length !== 1 || !isObject(layer))
    throw refused(`${name} has ${charts.length} layers with a chart, not one`);
  const digest = textAt(layer, ['digest']);
  const size = valueAt(layer, ['size']);
  if (digest === undefined || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw refused(`${name} has a layer without a digest of SHA-256`);
  }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw refused(`${name} has a layer without a size`);
  }
  return { digest, size };
}

export function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : undefined;
}
