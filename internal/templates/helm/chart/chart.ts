import { type GoMap, isPrint, isValidVersion, type Value } from '../../gotemplate/index.ts';
import { HelmError } from '../render-request.ts';
import { StructReader } from './struct-reader.ts';

/** A file of a chart; its name is relative to the chart. */
export interface NamedFile {
  readonly name: string;
  readonly data: Uint8Array;
}

/** A chart with its dependencies. */
export class Chart {
  metadata: Metadata;
  /** Of `Chart.yaml`, changed as dependencies are processed. */
  requirements: readonly Dependency[];
  values: GoMap;
  readonly schema: Uint8Array | undefined;
  readonly templates: readonly NamedFile[];
  /** What is neither a template nor one of the files that Helm knows. */
  readonly files: readonly NamedFile[];
  parent: Chart | undefined;
  #dependencies: readonly Chart[] = [];

  constructor(parts: {
    readonly metadata: Metadata;
    readonly values: GoMap;
    readonly schema: Uint8Array | undefined;
    readonly templates: readonly NamedFile[];
    readonly files: readonly NamedFile[];
  }) {
    this.metadata = parts.metadata;
    this.requirements = parts.metadata.dependencies;
    this.values = parts.values;
    this.schema = parts.schema;
    this.templates = parts.templates;
    this.files = parts.files;
  }

  get name(): string {
    return this.metadata.name;
  }

  get dependencies(): readonly Chart[] {
    return this.#dependencies;
  }

  setDependencies(charts: readonly Chart[]): void {
    for (const chart of charts) chart.parent = this;
    this.#dependencies = charts;
  }

  /** `parent/charts/name` */
  get fullPath(): string {
    return this.parent ? `${this.parent.fullPath}/charts/${this.name}` : this.name;
  }

  get isLibrary(): boolean {
    return this.metadata.type.toLowerCase() === 'library';
  }

  /** Another one of the same files, for a dependency under an alias. */
  copy(): Chart {
    const copy = new Chart({
      metadata: { ...this.metadata },
      values: this.values,
      schema: this.schema,
      templates: this.templates,
      files: this.files,
    });
    copy.requirements = this.requirements.map((requirement) => ({ ...requirement }));
    copy.setDependencies(this.dependencies.map((dependency) => dependency.shallowCopy()));
    return copy;
  }

  /** Shares its dependencies, whose parent stays. */
  shallowCopy(): Chart {
    const copy = new Chart({
      metadata: this.metadata,
      values: this.values,
      schema: this.schema,
      templates: this.templates,
      files: this.files,
    });
    copy.requirements = this.requirements;
    copy.#dependencies = this.#dependencies;
    return copy;
  }
}

export interface Maintainer {
  readonly name: string;
  readonly email: string;
  readonly url: string;
}

/** A chart that another one needs, under `charts/`. */
export interface Dependency {
  name: string;
  readonly version: string;
  readonly repository: string;
  /** Paths of values with commas between them; the first that is a boolean decides. */
  readonly condition: string;
  readonly tags: readonly string[];
  enabled: boolean;
  readonly importValues: readonly Value[];
  readonly alias: string;
}

/** What `Chart.yaml` says. Texts that are absent are empty. */
interface Metadata {
  readonly name: string;
  readonly home: string;
  readonly sources: readonly string[];
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly maintainers: readonly Maintainer[];
  readonly icon: string;
  readonly apiVersion: string;
  readonly condition: string;
  readonly tags: string;
  readonly appVersion: string;
  readonly deprecated: boolean;
  readonly annotations: ReadonlyMap<string, string> | undefined;
  readonly kubeVersion: string;
  readonly dependencies: readonly Dependency[];
  readonly type: string;
}

/** @param value of `Chart.yaml` @param requirements of `requirements.yaml`, null without one @throws HelmError */
export function readMetadata(value: Value, requirements: Value): Metadata {
  const reader = new StructReader(value, 'Metadata');
  const other = new StructReader(requirements, 'Metadata');
  const dependencies = requirements === null ? [] : other.list('dependencies');
  const text = (name: string) => sanitize(reader.text(name));
  return {
    name: text('name'),
    home: text('home'),
    sources: reader.texts('sources').map(sanitize),
    version: reader.text('version'),
    description: text('description'),
    keywords: reader.texts('keywords').map(sanitize),
    maintainers: reader.list('maintainers').map(readMaintainer),
    icon: text('icon'),
    apiVersion: reader.text('apiVersion') || 'v1',
    condition: text('condition'),
    tags: text('tags'),
    appVersion: text('appVersion'),
    deprecated: reader.boolean('deprecated'),
    annotations: reader.textMap('annotations'),
    kubeVersion: text('kubeVersion'),
    dependencies: (dependencies.length > 0 ? dependencies : reader.list('dependencies')).map(readDependency),
    type: reader.text('type'),
  };
}

function readMaintainer(value: Value): Maintainer {
  if (value === null) throw invalid('maintainers must not contain empty or null nodes');
  const reader = new StructReader(value, 'Maintainer');
  return {
    name: sanitize(reader.text('name')),
    email: sanitize(reader.text('email')),
    url: sanitize(reader.text('url')),
  };
}

function readDependency(value: Value): Dependency {
  if (value === null) throw invalid('dependencies must not contain empty or null nodes');
  const reader = new StructReader(value, 'Dependency');
  return {
    name: sanitize(reader.text('name')),
    version: sanitize(reader.text('version')),
    repository: sanitize(reader.text('repository')),
    condition: sanitize(reader.text('condition')),
    tags: reader.texts('tags').map(sanitize),
    enabled: reader.boolean('enabled'),
    importValues: reader.list('import-values'),
    alias: reader.text('alias'),
  };
}

/** White space becomes spaces; what cannot be printed is dropped. */
const sanitize = (text: string): string =>
  Array.from(text, (char) => {
    if (/^\p{White_Space}$/u.test(char)) return ' ';
    return isPrint(char.codePointAt(0) ?? 0) ? char : '';
  }).join('');

const invalid = (detail: string): HelmError => new HelmError(`validation: ${detail}`);

/** @throws HelmError */
export function validateMetadata(metadata: Metadata): void {
  const { name, version, type, dependencies } = metadata;
  if (name === '') throw invalid('chart.metadata.name is required');
  if (name === '.' || name === '..')
    throw invalid(`chart.metadata.name ${JSON.stringify(name)} is not allowed`);
  if (name.includes('/')) throw invalid(`chart.metadata.name ${JSON.stringify(name)} is invalid`);
  if (version === '') throw invalid('chart.metadata.version is required');
  if (!isValidVersion(version)) throw invalid(`chart.metadata.version ${JSON.stringify(version)} is invalid`);
  if (!['', 'application', 'library'].includes(type)) {
    throw invalid('chart.metadata.type must be application or library');
  }
  const keys = new Set<string>();
  for (const { name: dependency, alias } of dependencies) {
    if (alias !== '' && !/^[a-zA-Z0-9_-]+$/.test(alias)) {
      throw invalid(`dependency ${JSON.stringify(dependency)} has disallowed characters in the alias`);
    }
    const key = alias === '' ? dependency : alias;
    if (keys.has(key)) throw invalid(`more than one dependency with name or alias ${JSON.stringify(key)}`);
    keys.add(key);
  }
}
