import type { GoMap } from '../../gotemplate/index.ts';
import type { Dependency, Metadata } from './metadata.ts';

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
