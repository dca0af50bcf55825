import {
  jsonText,
  type OutputFormat,
  type Shown,
  type Style,
  shown,
  table,
  yamlText,
} from '../../../framework/module/console/shown.ts';
import type { Discovery, FoundMapping } from './discover.ts';
import type { Import, ImportManifest } from './manifest.ts';

/** A mapping with the manifest that imports it. */
export interface Row {
  readonly found: FoundMapping;
  readonly import: Import;
}

/** Formats manifests for `kubectl apply -f -`, or a table. */
export function formatDiscovery(
  format: OutputFormat,
  rows: readonly Row[],
  discovery: Pick<Discovery, 'instances'>,
  style: Style,
): string {
  const manifests = rows.flatMap(({ import: each }) => ('manifest' in each ? [each.manifest] : []));
  switch (format) {
    case 'table':
      return asTable(shown(rows), discovery, style);
    case 'json':
      return jsonText({ apiVersion: 'v1', kind: 'List', items: manifests });
    case 'yaml':
      return manifests.map(asDocument).join('');
    default:
      return format satisfies never;
  }
}

const asDocument = (manifest: ImportManifest): string => `---\n${yamlText(manifest)}`;

function asTable(
  rows: Shown<readonly Row[]>,
  { instances }: Pick<Discovery, 'instances'>,
  style: Style,
): string {
  const sum = `${rows.length} ${rows.length === 1 ? 'mapping' : 'mappings'} of ${instances} ${instances === 1 ? 'instance' : 'instances'} without a resource`;
  if (rows.length === 0) return `${sum}.\n`;
  const cells = rows.map(({ found: { serviceInstanceID, mapping }, import: each }) => [
    serviceInstanceID,
    mapping.platform,
    mapping.primaryID,
    mapping.secondaryID ?? '',
    String(mapping.isDefault),
    'manifest' in each
      ? `${each.manifest.kind} ${nameOf(each.manifest)}`
      : style('notice', `none: ${each.why}`),
  ]);
  const headings = ['INSTANCE-ID', 'PLATFORM', 'PRIMARY-ID', 'SECONDARY-ID', 'DEFAULT', 'IMPORT'];
  return `${table(headings, cells)}\n${sum}; -o yaml prints the manifests.\n`;
}

const nameOf = ({ metadata: { namespace, name } }: ImportManifest): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
