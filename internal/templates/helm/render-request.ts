import { ProviderError } from '../../framework/base/errors/errors.ts';
import type { TemplateLimits } from '../gotemplate/index.ts';

/** A file of a chart: its path in the chart, with `/`, and its bytes. */
export interface ChartFile {
  readonly name: string;
  readonly data: Uint8Array;
}

/** What a chart can know of the cluster that it is for. */
export interface ChartCapabilities {
  /** `v1.36.3`. Default: that of `helm template`. */
  readonly kubeVersion?: string;
  /** All that are served: `apps/v1`, `apps/v1/Deployment`. Default: those of `helm template`. */
  readonly apiVersions?: readonly string[];
}

export interface RenderRequest {
  /** All files of the chart, with those of `charts/`. */
  readonly files: readonly ChartFile[];
  /** What is merged over the values of the chart, as `helm template -f` does. Bigints are int64, as `--set` gives them. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly release: {
    readonly name: string;
    readonly namespace: string;
    /** Default false: `.Release.IsInstall`. */
    readonly isUpgrade?: boolean;
  };
  /** What `.Capabilities` has. Default: what `helm template` of the newest supported Helm has. */
  readonly capabilities?: ChartCapabilities;
  /** Default true: objects of the folder `crds/` come first. */
  readonly includeCrds?: boolean;
}

/** What a function with random results returned: a text, an integer, or a certificate. */
export type RandomValue = string | { readonly int: string } | { readonly cert: string; readonly key: string };

/** What random functions of a chart made, by a digest of their calls. Passwords and keys are among it. */
export interface RandomValues {
  /** Of the digests. */
  readonly salt: string;
  readonly values: Readonly<Record<string, RandomValue>>;
}

/** Keeps what random functions of a chart made, so that its next rendering is the same. */
export interface RandomStore {
  /** What was written last; undefined: nothing. Called once for a chart that makes random values, and for no other. */
  read(): Promise<RandomValues | undefined>;
  /** Called with the values that the last rendering used, also with those that are stored already. */
  write(values: RandomValues): Promise<void>;
}

/** One document of what a chart renders to: the text between two `---`. */
export interface RenderedDocument {
  /** The template it comes from: `chart/templates/service.yaml`. */
  readonly source: string;
  readonly text: string;
}

/** Helm refuses the chart or its values. The message is the one of Helm, with file and line where it has them. */
export class HelmError extends ProviderError {
  constructor(message: string, options?: ErrorOptions) {
    super('terminal', message, options);
  }
}

/** Limits of one rendering of a chart, all of its templates together. */
export const CHART_LIMITS: TemplateLimits = {
  sourceBytes: 5 * 1024 * 1024,
  outputBytes: 16 * 1024 * 1024,
  memoryBytes: 1024 * 1024 * 1024,
  steps: 50_000_000,
  timeMs: 30_000,
  depth: 200,
};
