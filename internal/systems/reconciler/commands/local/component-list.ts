import {
  type ConfigurationNode,
  readConfigurationFile,
} from '../../../../framework/base/configuration/configuration.ts';
import { InvalidConfigurationError, parseBoundedJson } from '../../../../framework/base/index.ts';

import type { ClusterComponent } from '../../components/index.ts';

/** The components of a version, with those that come first. */
export interface ComponentList {
  readonly components: readonly ClusterComponent[];
  /** One group for each. */
  readonly preComponents: readonly (readonly string[])[];
}

/** @throws ConfigurationError with file and line */
export async function readComponentList(path: string): Promise<ComponentList> {
  const root = await readConfigurationFile(path);
  const namespace = root.member('defaultNamespace').text();
  const read = (name: string) =>
    root
      .member(name)
      .items()
      .map((node) => componentIn(node, namespace));
  const prerequisites = read('prerequisites');
  return {
    components: [...prerequisites, ...read('components')],
    preComponents: prerequisites.map(({ component }) => [component]),
  };
}

const componentIn = (node: ConfigurationNode, namespace: string): ClusterComponent => ({
  component: node.member('name').requiredText(),
  namespace: node.member('namespace').text() || namespace,
  url: node.member('url').text(),
  version: node.member('version').scalarText(),
});

const FIELDS = ['name', 'namespace', 'url', 'version'] as const;

/** A component of the command line: its name, or an object with its fields, as JSON or `{name,namespace,url,version}`. */
export function parseComponent(text: string): ClusterComponent {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return { component: required(trimmed, text) };
  const fields = jsonIn(trimmed) ?? listIn(trimmed);
  const { name = '', namespace = '', url = '', version = '' } = fields;
  return { component: required(name, text), namespace, url, version };
}

type Fields = Partial<Record<(typeof FIELDS)[number], string>>;

function jsonIn(text: string): Fields | undefined {
  let value: unknown;
  try {
    value = parseBoundedJson(text, { maxLength: 4096, maxDepth: 2 });
  } catch {
    return undefined;
  }
  const entries = Object.entries(value as object);
  const isKnown = entries.every(
    ([name, field]) => FIELDS.some((known) => known === name) && typeof field === 'string',
  );
  return isKnown ? Object.fromEntries(entries) : undefined;
}

/** Fields in their order, which may be left out from the right. */
function listIn(text: string): Fields {
  const parts = text.replace(/^\{|\}$/g, '').split(',');
  if (!text.endsWith('}') || parts.length > FIELDS.length) throw unusable(text);
  return Object.fromEntries(parts.map((part, index) => [FIELDS[index], part.trim()]));
}

function required(name: string, text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return name;
  throw unusable(text);
}

const unusable = (text: string): InvalidConfigurationError =>
  new InvalidConfigurationError(
    `cannot use --components ${text}: want a name or {name,namespace,url,version}`,
  );
