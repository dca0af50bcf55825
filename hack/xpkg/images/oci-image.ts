/**
 * The JSON documents of an image, as far as they are read and written here. Source: OCI image-spec 1.1 (config,
 * manifest, image-index, descriptor); Docker's image config has the same members.
 */

export const mediaTypes = {
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/** Equivalent media types of other tools. */
export const dockerMediaTypes = {
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  index: 'application/vnd.docker.distribution.manifest.list.v2+json',
} as const;

export interface Platform {
  readonly architecture: string;
  readonly os: string;
  /** Of the CPU: `v8`. */
  readonly variant?: string;
}

export interface Descriptor {
  readonly mediaType: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface HistoryEntry {
  readonly created?: string;
  readonly created_by?: string;
  readonly empty_layer?: boolean;
}

/** Unknown members are kept as they are. */
export interface ImageConfig extends Platform {
  readonly created?: string;
  readonly config?: {
    readonly User?: string;
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly WorkingDir?: string;
    readonly ExposedPorts?: Readonly<Record<string, object>>;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
  readonly rootfs: { readonly type: 'layers'; readonly diff_ids: readonly string[] };
  /** One entry a layer, besides those marked as empty. */
  readonly history?: readonly HistoryEntry[];
}

export interface ImageManifest {
  readonly schemaVersion: 2;
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ImageIndex {
  readonly schemaVersion: 2;
  readonly mediaType?: string;
  readonly manifests: readonly Descriptor[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** `linux/amd64`, `linux/arm64/v8`. */
export const platformName = ({ os, architecture, variant }: Platform): string =>
  [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');
