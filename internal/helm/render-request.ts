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

/** One document of what a chart renders to: the text between two `---`. */
export interface RenderedDocument {
  /** The template it comes from: `chart/templates/service.yaml`. */
  readonly source: string;
  readonly text: string;
}
