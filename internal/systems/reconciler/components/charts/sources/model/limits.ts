/** What one source may make the program download, store and wait for. Each limit holds for one fetch. */
export interface SourceLimits {
  /** Bytes of an archive, of a layer, or of the pack of a Git server. */
  readonly maxDownloadBytes: number;
  /** Bytes of all files, unpacked. */
  readonly maxUnpackedBytes: number;
  /** Bytes of one file, unpacked. */
  readonly maxFileBytes: number;
  /** Files and folders together. */
  readonly maxFiles: number;
  /** Time of a fetch, from the first request to the last file, in ms. */
  readonly fetchTimeoutMs: number;
}

/** The repository of Kyma has 5,000 files and a pack of 20 MB. */
export const defaultSourceLimits: SourceLimits = {
  maxDownloadBytes: 64 * 1024 * 1024,
  maxUnpackedBytes: 256 * 1024 * 1024,
  maxFileBytes: 16 * 1024 * 1024,
  maxFiles: 20_000,
  fetchTimeoutMs: 5 * 60_000,
};
