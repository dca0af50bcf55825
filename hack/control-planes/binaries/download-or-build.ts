import { messageOf } from '../../../internal/framework/base/errors/errors.ts';

export interface DownloadOrBuildOptions {
  /** What is provided, for the error. */
  readonly title: string;
  readonly download: () => Promise<void>;
  /** Called with the reason before the build. */
  readonly onNoDownload: (reason: string) => void;
  readonly build: () => Promise<void>;
  /** What a user can do where both fail, for the error. */
  readonly wayOut: string;
}

/** Builds what cannot be downloaded. @throws with both reasons, and the way out */
export async function downloadOrBuild({
  title,
  download,
  onNoDownload,
  build,
  wayOut,
}: DownloadOrBuildOptions): Promise<void> {
  try {
    await download();
  } catch (error) {
    onNoDownload(messageOf(error));
    await build().catch((cause: unknown) => {
      throw new Error(
        `cannot provide ${title}: download: ${messageOf(error)}; build: ${messageOf(cause)}; ${wayOut}`,
        { cause },
      );
    });
  }
}
